// Own what the drawn board shows of a calibration: the square asked for, the light that shines, what is known of each.

import { pieceNode } from "./board.js";
import { lieText } from "./calibrate_words.js";
import { list, t } from "./words.js";

/** Draw over the board's cells what is known and what is asked. */
export function drawSquares(cells, state) {
  const dead = new Set(state.dead);
  const felt = new Set(state.standing);
  const lit = new Set(state.lit ?? []);
  const { trouble } = state;
  const wrong = new Set(trouble ? [trouble.about === "elsewhere" ? trouble.other : trouble.about === "lit" ? trouble.square : ""] : []);
  const open = !state.stopped;
  for (const [square, cell] of cells) {
    const sensor = state.sensors_by[square];
    const light = state.lights_by[square];
    const asked = open && square === state.square;
    cell.classList.toggle("asked", asked);
    cell.classList.toggle("shines", open && lit.has(square));
    cell.classList.toggle("aside", state.stage === "sensors" && !asked); // true, but not what is asked
    cell.classList.toggle("felt", felt.has(square)); // its sensor reads a piece
    cell.classList.toggle("contradicts", wrong.has(square));
    cell.setAttribute("aria-description", squareText(state, square));
    const key = JSON.stringify([sensor, light, dead.has(square), asked]);
    if (cell.dataset.known === key) continue;
    cell.dataset.known = key;
    cell.querySelectorAll(".known, .ghost").forEach((old) => old.remove());
    if (asked) {
      const ghost = pieceNode("t");
      ghost.className = "ghost";
      cell.append(ghost);
    }
    const marks = [dead.has(square) ? ["dead", "×"] : sensor !== undefined ? ["sensor", sensor] : null, light !== undefined ? ["light-no", light] : null];
    for (const [kind, text] of marks.filter(Boolean)) {
      cell.append(Object.assign(document.createElement("span"), { className: `known ${kind}`, textContent: text, ariaHidden: "true" }));
    }
  }
}

/** Tell what is known of a square, and what is asked of it. */
export function squareText(state, square) {
  const words = [];
  if (!state.stopped && square === state.square) words.push(t("put the piece here"));
  if ((state.lit ?? []).includes(square)) words.push(t("the light shines"));
  if (state.dead.includes(square)) words.push(t("no sensor answers"));
  if (state.standing.includes(square)) words.push(t("its sensor reads a piece"));
  if (square in state.sensors_by) words.push(t("sensor {sensor}", { sensor: state.sensors_by[square] }));
  if (square in state.lights_by) words.push(t("light {light}", { light: state.lights_by[square] }));
  return words.join(", ") || t("not learned yet");
}

/** Draw the list of what was learned. */
export function drawLearned(node, state) {
  const cells = state.size ** 2;
  const rows = [[t("Without a magnet"), state.inverted === null ? t("not known yet") : state.inverted ? t("sensors read occupied") : t("sensors read empty")]];
  const sensors = Object.keys(state.sensors_by).length;
  const lights = Object.keys(state.lights_by).length;
  rows.push([t("Sensors"), t("{count} of {cells}", { count: sensors, cells }), sensors > 1 ? lieText(state.lie.sensors) : ""]);
  if (state.trusted) rows.push([t("Lights"), t("as the configuration has them"), ""]);
  else if (!state.dark) rows.push([t("Lights"), t("{count} of {cells}", { count: lights, cells }), lights > 1 ? lieText(state.lie.lights) : ""]);
  if (state.dead.length) rows.push([t("Without a sensor"), list(state.dead), t("moves that touch them will be asked about")]);
  if (state.dark_lights.length) rows.push([t("Dark lights"), list(state.dark_lights.map(String))]);
  const key = JSON.stringify(rows);
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  node.replaceChildren(...rows.flatMap(([name, value, more]) => {
    const said = Object.assign(document.createElement("dd"), { textContent: value });
    if (more) said.append(Object.assign(document.createElement("small"), { textContent: more }));
    return [Object.assign(document.createElement("dt"), { textContent: name }), said];
  }));
}
