// Own the curve of a finished game: how the chances went, move by move. Pressing it leads to the position.

import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 112;
const EDGE = 18; // above and below the curve: a name stands there, and the curve never crosses it

export class Curve {
  #nodes;
  #view;

  constructor(nodes, view, send) {
    this.#nodes = nodes;
    this.#view = view;
    nodes.ask.addEventListener("click", () => send({ type: "look-back" }));
    nodes.curve.addEventListener("click", (event) => {
      const { left, width } = nodes.curve.getBoundingClientRect();
      view.look(Math.round(((event.clientX - left) / width) * view.state.moves.length));
    });
  }

  draw() {
    const { state, mayAct } = this.#view;
    const { ask, curve } = this.#nodes;
    const over = state.result !== null && state.moves.length > 0;
    const chances = (over && state.curve?.chances) || [];
    ask.hidden = !over || !("curve" in state) || chances.length > 1;
    ask.disabled = !mayAct || Boolean(state.curve?.busy);
    curve.toggleAttribute("hidden", chances.length < 2);
    if (chances.length < 2) return;
    const key = JSON.stringify([chances, this.#view.plies, t("How the game went")]);
    if (curve.dataset.key === key) return;
    curve.dataset.key = key;
    curve.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    curve.setAttribute("aria-label", t("How the game went"));
    const x = (ply) => (ply / state.moves.length) * WIDTH;
    const y = (chance) => EDGE + (1 - chance) * (HEIGHT - 2 * EDGE);
    const points = chances.map((chance, ply) => `${x(ply).toFixed(1)},${y(chance).toFixed(1)}`);
    const place = Math.min(this.#view.plies, chances.length - 1);
    curve.replaceChildren(
      shape("line", { class: "even", x1: 0, x2: WIDTH, y1: y(0.5), y2: y(0.5) }),
      shape("polyline", { class: "chances", points: points.join(" ") }),
      shape("circle", { class: "here", cx: x(place), cy: y(chances[place]), r: 4 }),
      words(2, 10, t("Attackers")),
      words(2, HEIGHT - 3, t("Defenders")),
    );
  }
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function words(x, y, text) {
  const node = shape("text", { x, y });
  node.textContent = text;
  return node;
}
