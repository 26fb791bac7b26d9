// Own the hands on the simulated board: mouse, touch and keyboard become what magnets do: lift, drop, box, unbox.
//
// The daemon's board is the truth. So that a piece follows the finger without waiting for an answer, the page draws
// its own deed over the last state (`overlay`) until a later state agrees, or for a moment at most.
//
// Pressing a piece lifts it. Then either it is dragged: where the pointer comes near the middle of a free square the
// piece is put down, where it leaves that square it is lifted again, as a sliding hand does; or it is let go at once
// and stays in the hand until the next press. From the keyboard it is lifted, carried and put down by Enter.

import { pieceNode } from "./board.js";
import { deedText, pieceName } from "./vocabulary.js";
import { t } from "./words.js";

const NEAR_MIDDLE = 0.35; // depth (0 edge, 1 middle) from which a sliding piece counts as on the square: no grazing
const STEPS_A_SQUARE = 5; // fast pointers skip squares: walk their path in steps smaller than NEAR_MIDDLE allows
const PULLED_PX = 8; // a victim pressed and moved less than this was clicked, not dragged
const DOUBTED_MS = 1500; // an answer from loopback takes 30 ms; after this the daemon's word counts again
const LIT_TO_TAKE_OFF = new Set(["remove", "victim", "extra"]);

export class Hands {
  #board;
  #view;
  #send;
  #say;
  #tell;
  #redraw;
  #box;
  #floating = null;
  /**
   * What the hand holds, or null: the piece and the square it is `from` (null: not known after a restart, or it still
   * lies in the box as far as the board knows: `boxed`); the `pointer` that pulls it, or null; the square `under` it
   * where it is put down in passing; the `path` of squares it has left.
   */
  #hold = null;
  /** What was just done and not yet confirmed: {empty: Set, put: {square: piece}, until}. */
  #overlay = null;
  #pointerAt = null;

  /** `send(message)` gives false when it could not be sent; `say(text)` speaks; `tell(text)` also shows; `redraw()` asks for a drawing. */
  constructor(board, box, view, { send, say, tell = say, redraw }) {
    this.#board = board;
    this.#box = box;
    this.#view = view;
    this.#send = send;
    this.#say = say;
    this.#tell = tell;
    this.#redraw = redraw;
    board.root.addEventListener("pointerdown", (event) => this.#press(event));
    board.root.addEventListener("keydown", (event) => this.#key(event));
    box.addEventListener("pointerdown", (event) => this.#pressBox(event));
    box.addEventListener("click", (event) => this.#clickBox(event));
    box.addEventListener("keydown", (event) => event.key === "Escape" && this.#putBack());
    addEventListener("pointermove", (event) => this.#move(event));
    addEventListener("pointerup", (event) => this.#release(event));
    addEventListener("pointercancel", (event) => this.#cancel(event));
    board.root.addEventListener("contextmenu", (event) => this.#hold && event.preventDefault());
  }

  /** The pieces to draw: the view's, with this page's own deed over them. */
  get pieces() {
    const pieces = { ...this.#view.pieces };
    if (!this.#view.live || !this.#view.state?.simulated) return pieces;
    for (const shown of [this.#overlay, this.#hold && { empty: this.#hold.path, put: {} }]) {
      if (!shown) continue;
      for (const square of shown.empty) delete pieces[square];
      Object.assign(pieces, shown.put);
    }
    if (this.#hold?.under && this.#hold.pointer === null) pieces[this.#hold.under] = this.#hold.piece;
    return pieces;
  }

  /** The square the held piece came from, or null. */
  get heldFrom() {
    return this.#hold?.from ?? null;
  }

  /** The held piece's letter, or null. */
  get heldPiece() {
    return this.#hold?.piece ?? null;
  }

  /** Take note of a new state of the daemon. */
  heard() {
    const { state } = this.#view;
    const inHand = state.in_hand ?? [];
    const overlay = this.#overlay;
    if (overlay) {
      const agrees = Object.entries(overlay.put).every(([square, piece]) => state.board[square] === piece)
        && [...overlay.empty].every((square) => square in overlay.put || !(square in state.board));
      if (agrees) this.#overlay = null;
    }
    if (this.#hold && this.#hold.pointer === null && !this.#hold.boxed && inHand.length === 0) {
      if (this.#hold.theirs || performance.now() > this.#hold.since + DOUBTED_MS) this.#hold = null; // somebody else put it down
    }
    if (!this.#hold && !this.#overlay && inHand.length > 0) {
      const [piece, from] = inHand.at(-1);
      this.#take(piece, from, null);
      this.#hold.theirs = true; // lifted on another page, or before this one was opened
    }
    if (!this.#view.mayTouch) this.#hold = null;
  }

  /** Take note that a message was refused: the daemon's state is what counts. */
  refused() {
    this.#overlay = null;
    if (this.#hold?.pointer === null) this.#hold = null;
    this.heard();
  }

  /** Put the floating picture of the held piece where it belongs. */
  draw() {
    const hold = this.#hold;
    if (!hold || !this.#view.mayTouch) {
      this.#floating?.remove();
      this.#floating = null;
      document.body.classList.remove("holding");
      return;
    }
    if (this.#floating?.dataset.piece !== hold.piece) {
      this.#floating?.remove();
      this.#floating = document.createElement("div");
      this.#floating.className = "floating";
      this.#floating.dataset.piece = hold.piece;
      this.#floating.append(pieceNode(hold.piece));
      document.body.append(this.#floating);
    }
    document.body.classList.add("holding");
    const { side } = this.#board.at(0, 0);
    const onBoard = this.#board.root.contains(document.activeElement);
    const at = hold.follows ? this.#pointerAt : this.#middleOf(onBoard ? this.#board.focused : hold.from ?? this.#board.focused);
    this.#floating.style.width = `${side}px`;
    this.#floating.style.transform = `translate(${at.left - side / 2}px, ${at.top - side * 0.58}px)`;
  }

  // ---- the pointer

  #press(event) {
    const square = event.target.closest?.(".cell")?.dataset.square;
    if (!square || !event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    this.#board.focus(square);
    this.#view.set({ touched: square });
    if (!this.#mayTouch(square)) return;
    this.#pointerAt = { left: event.clientX, top: event.clientY };
    const piece = this.pieces[square];
    if (this.#hold) {
      if (piece && square !== this.#hold.from) {
        if (this.#litToTakeOff(square)) {
          this.#takeOff(square);
          return;
        }
        this.#putBack();
        this.#lift(square, event.pointerId);
      } else {
        this.#hold.pointer = event.pointerId; // carried on by dragging, or put down when released
        this.#hold.last = this.#pointerAt;
        this.#hold.pressed = square;
      }
    } else if (piece && this.#litToTakeOff(square)) {
      this.#hold = { ...this.#newHold(piece, square, event.pointerId), waits: true };
    } else if (piece) {
      this.#lift(square, event.pointerId);
    }
    if (this.#hold) this.#hold.follows = event.pointerType === "mouse";
    this.#redraw();
  }

  #move(event) {
    this.#pointerAt = { left: event.clientX, top: event.clientY };
    const hold = this.#hold;
    if (!hold) return;
    if (hold.pointer === event.pointerId) {
      const events = event.getCoalescedEvents?.() ?? [];
      for (const point of events.length ? events : [event]) this.#slideTo({ left: point.clientX, top: point.clientY });
      hold.follows = hold.follows || hold.dragged;
    } else if (hold.pointer === null && event.pointerType === "mouse") hold.follows = true;
    this.draw();
  }

  #slideTo(point) {
    const hold = this.#hold;
    if (hold.waits) {
      if (Math.hypot(point.left - hold.last.left, point.top - hold.last.top) < PULLED_PX) return;
      hold.waits = false;
      this.#send({ type: "lift", square: hold.from });
      this.#redraw();
    }
    const { side } = this.#board.at(point.left, point.top);
    const far = Math.hypot(point.left - hold.last.left, point.top - hold.last.top);
    const steps = Math.max(1, Math.ceil((far / side) * STEPS_A_SQUARE));
    const { left, top } = hold.last;
    for (let step = 1; step <= steps; step++) {
      const share = step / steps;
      this.#over(left + (point.left - left) * share, top + (point.top - top) * share);
    }
    hold.last = point;
  }

  /** The held piece passes over a point. */
  #over(left, top) {
    const hold = this.#hold;
    const { square, depth } = this.#board.at(left, top);
    if (square !== hold.pressed) hold.dragged = true;
    if (!hold.dragged || hold.boxed) return;
    if (hold.under !== null && square !== hold.under) {
      this.#send({ type: "lift", square: hold.under });
      hold.under = null;
    }
    if (square !== null && square !== hold.under && depth >= NEAR_MIDDLE && this.#free(square)) {
      this.#send({ type: "drop", square });
      hold.under = square;
      hold.path.add(square);
    }
  }

  #release(event) {
    const hold = this.#hold;
    if (!hold || hold.pointer !== event.pointerId) return;
    hold.pointer = null;
    if (hold.waits) {
      this.#hold = null;
      this.#takeOff(hold.from);
      return;
    }
    const { square } = this.#board.at(event.clientX, event.clientY);
    const box = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#box");
    const putDown = hold.dragged || hold.pressed !== hold.liftedBy;
    if (!putDown) hold.liftedBy = null; // it was lifted by this press and stays in the hand
    else if (square !== null && square === hold.under) this.#rest(square);
    else if (square !== null && this.#free(square)) this.#drop(square);
    else if (box) this.#putIntoBox();
    else this.#putBack();
    this.#redraw();
  }

  #cancel(event) {
    if (this.#hold?.pointer !== event.pointerId) return;
    this.#hold.pointer = null;
    if (this.#hold.waits) this.#hold = null;
    else if (this.#hold.under !== null) this.#rest(this.#hold.under);
    else this.#putBack();
    this.#redraw();
  }

  // ---- the box beside the board

  #pressBox(event) {
    const piece = event.target.closest?.("[data-piece]")?.dataset.piece;
    if (!piece || !event.isPrimary || event.button !== 0 || !this.#view.mayTouch || this.#hold) return;
    this.#pointerAt = { left: event.clientX, top: event.clientY };
    this.#hold = { ...this.#newHold(piece, null, event.pointerId), boxed: true, follows: event.pointerType === "mouse", fresh: true };
    this.#redraw();
  }

  #clickBox(event) {
    if (!this.#view.mayTouch) return;
    const piece = event.target.closest?.("[data-piece]")?.dataset.piece;
    if (this.#hold?.fresh) this.#hold.fresh = false; // this click ends the press that picked it
    else if (this.#hold) this.#putIntoBox();
    else if (piece) {
      this.#hold = { ...this.#newHold(piece, null, null), boxed: true }; // by keyboard, which now needs the board
      this.#board.focus(this.#board.focused);
    }
    if (this.#hold) this.#say(deedText(this.#hold.piece, "picked"));
    this.#redraw();
  }

  // ---- the keyboard

  #key(event) {
    const square = event.target.dataset?.square;
    if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = { Enter: () => this.#enter(square), " ": () => this.#enter(square), Escape: () => this.#putBack(),
      Delete: () => this.#delete(square), Backspace: () => this.#delete(square) }[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.repeat) return;
    this.#view.set({ touched: square });
    if (!this.#mayTouch(square)) return;
    act();
    if (this.#hold) this.#hold.follows = false;
    this.#redraw();
  }

  #enter(square) {
    const piece = this.pieces[square];
    if (piece && this.#litToTakeOff(square)) this.#takeOff(square);
    else if (this.#hold && this.#free(square)) this.#drop(square);
    else if (this.#hold) this.#say(t("{square} is occupied by: {piece}", { square, piece: pieceName(piece) }));
    else if (piece) this.#lift(square, null);
  }

  #delete(square) {
    if (this.#hold) this.#putIntoBox();
    else if (this.pieces[square]) this.#takeOff(square);
  }

  // ---- deeds

  #newHold(piece, from, pointer) {
    return { piece, from, pointer, under: null, path: new Set(from ? [from] : []), last: this.#pointerAt, dragged: false,
      pressed: from, liftedBy: from, boxed: false, follows: false, since: performance.now() };
  }

  #take(piece, from, pointer) {
    this.#hold = this.#newHold(piece, from, pointer);
    if (pointer === null) this.#hold.liftedBy = null;
  }

  #lift(square, pointer) {
    const piece = this.pieces[square];
    if (!this.#send({ type: "lift", square })) return;
    this.#take(piece, square, pointer);
    this.#say(deedText(piece, "lifted", square));
  }

  #drop(square) {
    const { piece, boxed, under, path } = this.#hold;
    if (under !== null) this.#send({ type: "lift", square: under });
    this.#send(boxed ? { type: "unbox", piece, square } : { type: "drop", square });
    this.#settle(path, { [square]: piece });
    this.#say(deedText(piece, "dropped", square));
  }

  /** The piece has been put down already, in sliding. */
  #rest(square) {
    const { piece, path } = this.#hold;
    this.#settle(path, { [square]: piece });
    this.#say(deedText(piece, "dropped", square));
  }

  #putBack() {
    const hold = this.#hold;
    if (!hold) return;
    if (hold.boxed) this.#hold = null;
    else if (hold.from === null) this.#putIntoBox();
    else this.#drop(hold.from);
    this.#redraw();
  }

  #takeOff(square) {
    const piece = this.pieces[square];
    if (!this.#send({ type: "box", square })) return;
    if (!this.#hold) this.#settle(new Set([square]), {});
    this.#say(deedText(piece, "boxed", square));
    this.#redraw();
  }

  /** What is in the hand goes into the box. */
  #putIntoBox() {
    const { piece, boxed, from, under, path } = this.#hold;
    if (!boxed) {
      this.#send(under === null ? { type: "box" } : { type: "box", square: under });
      this.#say(deedText(piece, "boxed", under ?? from ?? ""));
    }
    this.#settle(path, {});
  }

  #settle(empty, put) {
    this.#hold = null;
    const overlay = { empty, put };
    this.#overlay = overlay;
    setTimeout(() => {
      if (this.#overlay !== overlay) return;
      this.#overlay = null;
      this.#redraw();
    }, DOUBTED_MS);
  }

  // ---- questions

  /** May hands touch the board? Says why not where a piece of an earlier position is grasped. */
  #mayTouch(square) {
    const { live, mayAct, mayTouch, pieces, state } = this.#view;
    if (!live && mayAct && state.simulated && pieces[square]) this.#tell(t("An earlier position: nothing moves here. Go back to now first."));
    return mayTouch;
  }

  #free(square) {
    return !(square in this.pieces);
  }

  #litToTakeOff(square) {
    const { state } = this.#view;
    if (square === this.#hold?.from) return false;
    const role = state.lights[square]?.role;
    return state.removals.includes(square) || role === "remove" || (this.#hold !== null && LIT_TO_TAKE_OFF.has(role));
  }

  #middleOf(square) {
    const area = this.#board.cells.get(square).getBoundingClientRect();
    return { left: area.left + area.width / 2, top: area.top + area.height / 2 };
  }
}
