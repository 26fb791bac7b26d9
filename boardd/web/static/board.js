// Own the drawn board: its squares, labels, pieces, and the keyboard's way over it. Lights are drawn by lights.js.

import { lightName, showLight, whyLit } from "./lights.js";
import { cornersOf, nameOf, placeOf, throneOf } from "./squares.js";
import { bookGoal, pieceImage, pieceName } from "./vocabulary.js";
import { t } from "./words.js";

const GLIDE_MS = 180; // long enough to be followed, short enough not to be waited for
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Board {
  /** The cells by square name. */
  cells = new Map();

  #root;
  #frame;
  #size = 0;
  #focused = null;
  #shown = {};

  constructor(root, frame) {
    this.#root = root;
    this.#frame = frame;
    root.addEventListener("keydown", (event) => this.#walk(event));
    root.addEventListener("focusin", (event) => {
      const square = event.target.dataset?.square;
      if (square) this.#makeTabStop(square);
    });
  }

  get root() {
    return this.#root;
  }

  /** The square that the keyboard is on. */
  get focused() {
    return this.#focused;
  }

  /** Move the keyboard's focus to a square. */
  focus(square) {
    this.#makeTabStop(square);
    this.cells.get(square)?.focus({ preventScroll: true });
  }

  /**
   * Draw everything. `pieces` is what stands where (the view's, with what the page's own hands are just doing);
   * `held` is the square whose piece is in the hand, or null.
   */
  draw(view, pieces, held) {
    const { state } = view;
    if (state.size !== this.#size) this.#build(state.size);
    this.#frame.dataset.goal = state.goal ?? bookGoal(state.rules);
    this.#frame.classList.toggle("past", !view.live);
    this.#root.classList.toggle("hands", view.mayTouch);
    const sensed = state.simulated || !view.live ? null : new Set(state.sensors);
    const moved = view.shownMove;
    const camps = new Set(state.camps ?? []);
    for (const [square, cell] of this.cells) {
      const piece = pieces[square] ?? null;
      cell.classList.toggle("camp", camps.has(square));
      const light = view.lights[square] ?? null;
      const differs = sensed !== null && sensed.has(square) !== (piece !== null);
      this.#drawPiece(cell, piece, differs);
      showLight(cell, light, state.brightness);
      cell.classList.toggle("held", square === held);
      cell.classList.toggle("moved", !view.live && (square === moved?.from || square === moved?.to));
      cell.classList.toggle("touched", view.live && square === view.touched && light !== null);
      this.#label(cell, square, piece, light && lightName(state, square), differs, square === held);
      if (light) cell.setAttribute("aria-description", whyLit(state, square));
      else cell.removeAttribute("aria-description");
    }
    this.#glide(pieces);
    this.#shown = { ...pieces };
  }

  /** Give the square at a point of the window, or null beside the board. `depth` is 0 at its edge and 1 in its middle. */
  at(left, top) {
    const area = this.#root.getBoundingClientRect();
    const side = area.width / this.#size;
    const file = (left - area.left) / side;
    const rank = (area.bottom - top) / side;
    if (file < 0 || rank < 0 || file >= this.#size || rank >= this.#size) return { square: null, depth: 0, side };
    const off = Math.max(Math.abs((file % 1) - 0.5), Math.abs((rank % 1) - 0.5));
    return { square: nameOf(Math.floor(file), Math.floor(rank)), depth: 1 - 2 * off, side };
  }

  #build(size) {
    this.#size = size;
    this.#frame.style.setProperty("--size", size);
    this.cells.clear();
    const special = new Map([[throneOf(size), "throne"], ...cornersOf(size).map((square) => [square, "corner"])]);
    const rows = [];
    for (let rank = size - 1; rank >= 0; rank--) {
      const row = document.createElement("div");
      row.setAttribute("role", "row");
      row.className = "row-of-board";
      for (let file = 0; file < size; file++) {
        const square = nameOf(file, rank);
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        cell.className = `cell ${special.get(square) ?? ""}`;
        cell.dataset.square = square;
        cell.tabIndex = -1;
        this.cells.set(square, cell);
        row.append(cell);
      }
      rows.push(row);
    }
    this.#root.replaceChildren(...rows);
    this.#frame.querySelectorAll(".labels").forEach((labels) => labels.remove());
    const ranks = Array.from({ length: size }, (_, index) => String(size - index));
    const files = Array.from({ length: size }, (_, index) => nameOf(index, 0)[0]);
    this.#frame.append(labelsOf("ranks", ranks), labelsOf("files", files));
    this.#makeTabStop(throneOf(size));
  }

  #drawPiece(cell, piece, differs) {
    if ((cell.dataset.piece ?? "") !== (piece ?? "")) {
      cell.querySelector(".piece")?.remove();
      if (piece) {
        cell.dataset.piece = piece;
        cell.append(pieceNode(piece));
      } else delete cell.dataset.piece;
    }
    cell.classList.toggle("absent", differs && piece !== null);
    cell.classList.toggle("unknown", differs && piece === null);
  }

  #label(cell, square, piece, light, differs, held) {
    const words = [square, piece ? pieceName(piece) : t("empty")];
    if (cell.classList.contains("throne")) words.push(t("throne"));
    if (cell.classList.contains("corner") && this.#frame.dataset.goal === "corner") words.push(t("the king's goal"));
    if (cell.classList.contains("camp")) words.push(t("camp"));
    if (held) words.push(t("in your hand"));
    if (differs) words.push(piece ? t("lifted") : t("something stands here"));
    if (light) words.push(t("light: {role}", { role: light }));
    const label = words.join(", ");
    if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
  }

  /** Let a piece that went from one square to another in one step be seen going. */
  #glide(pieces) {
    const before = this.#shown;
    const gone = Object.keys(before).filter((square) => pieces[square] !== before[square]);
    const come = Object.keys(pieces).filter((square) => pieces[square] !== before[square]);
    if (come.length !== 1 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [to] = come;
    const from = gone.find((square) => before[square] === pieces[to]);
    if (!from) return;
    const cell = this.cells.get(to);
    const one = placeOf(from);
    const other = placeOf(to);
    const side = cell.offsetWidth;
    const shift = `translate(${(one.file - other.file) * side}px, ${(other.rank - one.rank) * side}px)`;
    cell.querySelector(".piece").animate([{ transform: shift, zIndex: 5 }, { transform: "none", zIndex: 5 }], {
      duration: GLIDE_MS,
      easing: "ease-out",
    });
  }

  #makeTabStop(square) {
    if (this.#focused) this.cells.get(this.#focused)?.setAttribute("tabindex", "-1");
    this.#focused = square;
    this.cells.get(square)?.setAttribute("tabindex", "0");
  }

  #walk(event) {
    const square = event.target.dataset?.square;
    if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
    const { file, rank } = placeOf(square);
    const last = this.#size - 1;
    let place = null;
    if (event.key in STEPS) place = [file + STEPS[event.key][0], rank + STEPS[event.key][1]];
    else if (event.key === "Home") place = [0, rank];
    else if (event.key === "End") place = [last, rank];
    else if (event.key === "PageUp") place = [file, last];
    else if (event.key === "PageDown") place = [file, 0];
    if (!place) return;
    event.preventDefault();
    const inside = place.map((value) => Math.max(0, Math.min(last, value)));
    this.focus(nameOf(...inside));
  }
}

/** Make the picture of a piece. */
export function pieceNode(piece) {
  const image = document.createElement("img");
  image.className = `piece piece-${piece}`;
  image.src = pieceImage(piece);
  image.alt = "";
  image.draggable = false;
  return image;
}

function labelsOf(which, texts) {
  const labels = document.createElement("div");
  labels.className = `labels ${which}`;
  labels.setAttribute("aria-hidden", "true");
  labels.append(...texts.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  return labels;
}
