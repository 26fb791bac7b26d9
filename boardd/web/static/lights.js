// Own how a light looks on a square, and the panel that tells in words why lights shine.
//
// Colour, rhythm and brightness come from the daemon's theme; the sign of the role is ours, for eyes that tell
// colours badly and for pages where nothing may move.

import { markOf } from "./marks.js";
import { movePlaces, sorted } from "./squares.js";
import { ROLE_NAMES, announcement, pieceName, roleName, roleWhy } from "./vocabulary.js";
import { t } from "./words.js";

const FAINTEST = 0.4; // share of the glow that is left when the board's brightness is 0: the page must stay readable
const GAMMA = 0.5; // a light at a quarter of its current looks half as bright, a pixel of the page at a quarter does not
const SQUARES_NAMED = 4; // more squares of one role are counted by eye, not by reading

/** Show a light (or null) on a cell. */
export function showLight(cell, light, brightness) {
  const key = light ? `${light.role} ${light.colour} ${light.rhythm} ${light.brightness} ${brightness}` : "";
  if ((cell.dataset.lit ?? "") === key) return;
  cell.dataset.lit = key;
  cell.querySelector(".light")?.remove();
  cell.querySelector(".badge")?.remove();
  delete cell.dataset.role;
  if (!light) return;
  cell.dataset.role = light.role;
  const glow = document.createElement("span");
  glow.className = "light";
  dress(glow, light, brightness);
  const badge = document.createElement("span");
  badge.className = "badge";
  badge.style.setProperty("--colour", light.colour);
  badge.append(markOf(light.role));
  cell.append(glow, badge);
  keepTime(glow);
}

function dress(node, light, brightness) {
  node.dataset.role = light.role;
  node.dataset.rhythm = light.rhythm;
  node.style.setProperty("--colour", light.colour);
  node.style.setProperty("--glow", String(light.brightness ** GAMMA * (FAINTEST + (1 - FAINTEST) * brightness)));
}

/** Let all lights of one rhythm beat together, as they do on the board, whenever each was lit. */
function keepTime(node) {
  for (const animation of node.getAnimations()) animation.startTime = 0;
}

/** Draw the panel under the board: the light that was touched in words, and all roles that shine now. */
export function drawWhy(nodes, view) {
  const { text, legend, now } = nodes;
  now.hidden = view.live;
  nodes.root.classList.toggle("past", !view.live);
  if (!view.live) {
    legend.replaceChildren();
    legend.dataset.key = "";
    text.textContent = pastWords(view);
    text.classList.remove("quiet");
    return;
  }
  const byRole = new Map();
  for (const [square, light] of Object.entries(view.lights)) {
    byRole.set(light.role, [...(byRole.get(light.role) ?? []), square]);
  }
  const touched = view.touched && view.lights[view.touched];
  text.textContent = touched ? `${view.touched}: ${whyLit(view.state, view.touched)}` : byRole.size ? t("Touch a light to read why it shines.") : t("No light shines.");
  text.classList.toggle("quiet", !touched);
  const urgency = (role) => ROLE_NAMES.indexOf(role) + 1 || ROLE_NAMES.length + 1;
  const roles = [...byRole.keys()].sort((one, other) => urgency(one) - urgency(other));
  const rows = roles.map((role) => legendRow(view, role, byRole.get(role), role === touched?.role));
  const key = rows.map((row) => row.dataset.key).join("|");
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  legend.replaceChildren(...rows);
  for (const swatch of legend.querySelectorAll(".light")) keepTime(swatch);
}

/** Say which earlier position is looked at, and what was called out then. */
function pastWords(view) {
  const { moves } = view.state;
  const ply = moves[view.past - 1];
  if (!ply) return t("Earlier position: the start.");
  const { from, to } = movePlaces(ply.move);
  const calls = ply.announce.map((word) => announcement(word, ply.side).call);
  return [t("Earlier position: after {move}, {ply} of {plies}.", { move: `${from}–${to}`, ply: ply.ply, plies: moves.length }), ...calls].join(" ");
}

/** Tell why the light of a square shines, as things stand. */
export function whyLit(state, square) {
  const { role } = state.lights[square];
  const piece = state.pieces[square];
  if (role === "illegal" && !state.illegal) return t("The lifted piece cannot move.");
  if (tellsKing(state, square)) return t("The king stands here.");
  if (role === "winner" && !state.result?.winner) return t("The game has ended in a draw.");
  if (role === "missing" && piece) {
    const mayGo = Object.values(state.lights).some((light) => ["destination", "capture", "risky"].includes(light.role));
    if (mayGo) return t("In the hand for long: {piece}. Think on, or put it down; if it is down, its sensor does not see it.", { piece: pieceName(piece) });
    return t("Missing here: {piece}. Put it back.", { piece: pieceName(piece) });
  }
  return roleWhy(role);
}

/** Name the light of a square. */
export function lightName(state, square) {
  return tellsKing(state, square) ? pieceName("K") : roleName(state.lights[square].role);
}

/** Tell whether a light in the role of advice only shows where the king stands; no advice shines then. */
function tellsKing(state, square) {
  return state.lights[square].role === "hint" && state.pieces[square] === "K" && !state.hint?.includes(square);
}

function legendRow(view, role, squares, touched) {
  const row = document.createElement("li");
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  const light = view.lights[squares[0]];
  const glow = document.createElement("span");
  glow.className = "light";
  dress(glow, light, view.state.brightness);
  const badge = document.createElement("span");
  badge.className = "badge";
  badge.style.setProperty("--colour", light.colour);
  badge.append(markOf(role));
  swatch.append(glow, badge);
  const few = squares.length <= SQUARES_NAMED;
  const called = squares.length === 1 ? lightName(view.state, squares[0]) : roleName(role);
  const name = few ? `${called} ${sorted(squares).join(", ")}` : `${called} ×${squares.length}`;
  row.append(swatch, name);
  row.classList.toggle("touched", touched);
  row.dataset.key = [name, light.colour, light.rhythm, light.brightness, view.state.brightness, touched].join(" ");
  return row;
}
