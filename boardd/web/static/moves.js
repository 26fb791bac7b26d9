// Own the list of moves and the steps to earlier positions.

import { icon } from "./marks.js";
import { movePlaces } from "./squares.js";
import { announcement, sideName } from "./vocabulary.js";
import { t } from "./words.js";

export class Moves {
  #nodes;
  #view;
  #shown = "";

  constructor(nodes, view) {
    this.#nodes = nodes;
    this.#view = view;
    const steps = { first: () => 0, back: () => view.plies - 1, forth: () => view.plies + 1, last: () => Infinity };
    for (const [name, plies] of Object.entries(steps)) {
      nodes[name].append(icon(name));
      nodes[name].addEventListener("click", () => view.state && view.look(plies()));
    }
    nodes.now.addEventListener("click", () => {
      view.look(Infinity);
      nodes.list.focus({ preventScroll: true });
    });
    nodes.list.addEventListener("click", (event) => {
      const ply = event.target.closest("[data-ply]")?.dataset.ply;
      if (ply) view.look(Number(ply));
    });
    nodes.list.addEventListener("keydown", (event) => this.#key(event));
  }

  draw() {
    const { state } = this.#view;
    const { moves } = state;
    this.#drawList(state);
    const shown = this.#view.plies;
    for (const button of this.#nodes.list.querySelectorAll("[data-ply]")) {
      const current = Number(button.dataset.ply) === shown;
      if (current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    const { first, back, forth, last, place } = this.#nodes;
    enable(first, shown > 0);
    enable(back, shown > 0);
    enable(forth, shown < moves.length);
    enable(last, !this.#view.live);
    place.textContent = this.#view.live ? t("now") : t("{ply} of {plies}", { ply: shown, plies: moves.length });
    place.classList.toggle("past", !this.#view.live);
  }

  #drawList({ moves, side }) {
    const key = JSON.stringify([moves.map((ply) => [ply.move, ply.captures, ply.announce]), sideName("attackers")]);
    if (key === this.#shown) return;
    this.#shown = key;
    const first = moves[0]?.side ?? side;
    const second = first === "attackers" ? "defenders" : "attackers";
    const rows = [rowOf("head", cellOf("columnheader", t("No.")), ...[first, second].map((one) => cellOf("columnheader", sideName(one))))];
    for (let index = 0; index < moves.length; index += 2) {
      const cells = [moves[index], moves[index + 1]].map((ply) => cellOf("cell", ply ? plyButton(ply) : ""));
      rows.push(rowOf("turn-row", cellOf("rowheader", String(index / 2 + 1)), ...cells));
    }
    this.#nodes.list.replaceChildren(...rows);
    if (moves.length === 0) rows[0].after(rowOf("none", cellOf("cell", t("No move yet."))));
    if (this.#view.live) this.#nodes.list.scrollTop = this.#nodes.list.scrollHeight;
  }

  #key(event) {
    const plies = { ArrowLeft: this.#view.plies - 1, ArrowRight: this.#view.plies + 1, Home: 0, End: Infinity }[event.key];
    if (plies === undefined || !this.#view.state) return;
    event.preventDefault();
    this.#view.look(plies);
    requestAnimationFrame(() => this.#nodes.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }));
  }
}

/** Switch a button without taking the keyboard's focus away from it, as `disabled` would. */
function enable(button, on) {
  button.setAttribute("aria-disabled", String(!on));
}

function plyButton(ply) {
  const { from, to } = movePlaces(ply.move);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "ply";
  button.dataset.ply = ply.ply;
  button.append(`${from}–${to}`);
  if (ply.captures.length > 0) button.append(sign("taken", `×${ply.captures.join(" ")}`));
  if (ply.announce.length > 0) {
    const calls = ply.announce.map((word) => announcement(word, ply.side).call).join(" ");
    const call = sign("called", "!");
    call.title = calls;
    call.setAttribute("aria-label", calls);
    call.setAttribute("role", "img");
    button.append(call);
  }
  return button;
}

function sign(className, text) {
  return Object.assign(document.createElement("span"), { className, textContent: text });
}

function rowOf(className, ...cells) {
  const row = Object.assign(document.createElement("div"), { className });
  row.setAttribute("role", "row");
  row.append(...cells);
  return row;
}

function cellOf(role, content) {
  const cell = document.createElement("span");
  cell.setAttribute("role", role);
  cell.append(content);
  return cell;
}
