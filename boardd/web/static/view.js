// Own what is shown: the daemon's last state, the connection, and which earlier position is looked at.
//
// One `View`, changed by its methods only; each change calls for one drawing, at most one a frame.

import { movePlaces, piecesOf } from "./squares.js";

export class View {
  /** The daemon's last `state` message, or null before the first. */
  state = null;
  /** The connection: "connecting", "open" or "waiting". */
  standing = "connecting";
  /** When the next try to connect is due (ms since the epoch). */
  retryAt = 0;
  /** How many plies the position looked at has, or null for now. */
  past = null;
  /** The square whose light is being asked about, or null. */
  touched = null;

  #draw;
  #due = false;

  constructor(draw) {
    this.#draw = draw;
  }

  /** Change fields and draw soon. */
  set(fields) {
    Object.assign(this, fields);
    const plies = this.state?.moves.length ?? 0;
    if (this.past !== null && this.past > plies) this.past = null; // taken back, or a new game
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#draw();
    });
  }

  /** Look at the position after `plies` plies; at the last one with `live` it is now again. */
  look(plies) {
    const all = this.state?.moves.length ?? 0;
    const wanted = Math.max(0, Math.min(plies, all));
    this.set({ past: wanted === all ? null : wanted, touched: null });
  }

  get plies() {
    return this.past ?? this.state?.moves.length ?? 0;
  }

  get live() {
    return this.past === null;
  }

  /** May this page change anything now? */
  get mayAct() {
    return this.standing === "open" && this.state !== null && this.state.allowed?.act !== false;
  }

  /** Is the mouse a hand on this board now? */
  get mayTouch() {
    return this.mayAct && this.live && this.state.simulated;
  }

  /** The pieces by square: what stands on the board now, or stood in the position looked at. */
  get pieces() {
    if (!this.state) return {};
    if (!this.live) return this.positionAfter(this.past);
    return this.state.simulated ? this.state.board : this.state.pieces;
  }

  /** The lights by square; an earlier position has none. */
  get lights() {
    return this.live && this.state ? this.state.lights : {};
  }

  positionAfter(plies) {
    const { moves, start } = this.state;
    return piecesOf(plies === 0 ? start : moves[plies - 1].position);
  }

  /** The squares of the move that led to the position looked at. */
  get shownMove() {
    const ply = this.state?.moves[this.plies - 1];
    return ply ? movePlaces(ply.move) : null;
  }
}
