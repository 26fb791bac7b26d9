// Put the calibration's page together: what the daemon says is drawn, hands and buttons answer.

import { Board, pieceNode } from "./board.js";
import { drawLearned, drawSquares, squareText } from "./calibrate_board.js";
import { requestOf, skipText, troubleOf } from "./calibrate_words.js";
import { Hands } from "./hands.js";
import { Link } from "./socket.js";
import { View } from "./view.js";
import { darkText, pieceName, refusalText } from "./vocabulary.js";
import { nativeName, preferred, speak, t } from "./words.js";

const TOAST_MS = 5000; // long enough to read one line twice
const PIECE = "t"; // what a real board's piece is drawn as: which one it is no sensor feels

const node = (id) => document.getElementById(id);
const view = new View(draw);
const board = new Board(node("board"), node("frame"));
const hands = new Hands(board, node("box"), view, { send, say, redraw: () => view.set({}) });
let spoken = "";
let warned = "";

const link = new Link({
  message(message) {
    if (message.type === "calibration") {
      view.set({ state: asState(message) });
      hands.heard();
    } else if (message.type === "refused") {
      hands.refused();
      toast(refusalText(message.why));
      view.set({});
    }
  },
  standing(standing, retryAt = 0) {
    view.set({ standing, retryAt });
  },
});

/** Give a calibration the parts of a game's state that board and hands look at. */
function asState(message) {
  const pieces = Object.fromEntries(message.standing.map((square) => [square, PIECE]));
  const { sensors: sensors_by, lights: lights_by } = message; // by square; the game's state has other things there
  return { ...message, sensors_by, lights_by, pieces, sensors: message.standing, moves: [], lights: {}, removals: [], brightness: 1 };
}

function send(message) {
  const sent = link.send(message);
  if (!sent) toast(t("Not connected: nothing was sent."));
  return sent;
}

function draw() {
  const { state } = view;
  drawLink();
  if (state === null) return;
  board.draw(view, hands.pieces, hands.heldFrom);
  drawSquares(board.cells, state);
  hands.draw();
  drawRequest(state);
  drawTrouble(state);
  drawButtons(state);
  drawLearned(node("learned"), state);
  drawBeside(state);
  node("board").setAttribute("aria-label", t("Board"));
  node("board-help").textContent = view.mayTouch
    ? t("Arrow keys go over the squares. Enter lifts a piece and puts it down, Delete takes it off, Escape puts it back.")
    : t("Arrow keys go over the squares.");
  const why = node("why-text");
  why.textContent = view.touched ? `${view.touched}: ${squareText(state, view.touched)}` : t("Touch a square to read what is known of it.");
  why.classList.toggle("quiet", !view.touched);
  document.body.classList.add("ready");
}

function drawRequest(state) {
  const { stage, request, how, piece } = requestOf(state);
  const [done, steps] = [state.done, state.steps];
  node("stage").textContent = stage;
  node("how").textContent = how;
  const title = node("request");
  if (title.dataset.key !== request) {
    title.dataset.key = request;
    const words = Object.assign(document.createElement("span"), { textContent: request });
    title.replaceChildren(...(piece ? [pieceNode(PIECE)] : []), words);
  }
  Object.assign(node("progress"), { max: steps, value: done });
  node("counted").textContent = t("{done} of {steps}", { done, steps });
  const sentence = [request, how].filter(Boolean).join(" ");
  if (spoken !== sentence) say((spoken = sentence));
  document.title = `${request} · Konakis`;
}

function drawTrouble(state) {
  const words = troubleOf(state);
  const list = node("notices");
  const items = [...(words ? [["wrong", words]] : []), ...(state.dark && state.stage !== "done" ? [["", t("The lights are not learned: {why}", { why: darkText(state.dark) })]] : [])];
  const key = JSON.stringify(items);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...items.map(([kind, textContent]) => Object.assign(document.createElement("li"), { className: kind, textContent })));
  }
  const loud = words ?? "";
  if (warned !== loud) node("live-now").textContent = warned = loud;
}

function drawButtons(state) {
  const { stage } = state;
  const over = state.stopped || !view.mayAct;
  const asks = stage === "empty" ? state.trouble !== null : stage !== "done";
  node("skip").textContent = skipText(state);
  node("skip").hidden = !asks;
  node("skip").disabled = over;
  node("again").hidden = !(stage === "empty" && state.trouble);
  node("again").disabled = over;
  node("trust").hidden = stage !== "lights" || state.simulated;
  node("trust").disabled = over;
  node("back").disabled = over || stage === "empty";
  node("stop").textContent = stage === "done" ? t("Finish") : t("Stop, and go on later");
  node("stop").classList.toggle("strong", stage === "done");
  node("stop").disabled = over;
  node("stop-hint").textContent = keptWords(state);
}

/** Tell what becomes of what is learned. */
function keptWords(state) {
  if (state.simulated) return t("This is practice: what is learned here is kept apart, and a real board's wiring stays as it is.");
  return state.stage === "done" ? "" : t("What was learned is on the disk at once.");
}

/** Draw what lies beside a simulated board. */
function drawBeside(state) {
  node("beside").hidden = !state.simulated || state.stopped;
  if (!state.simulated) return;
  const pieces = (state.box ?? []).slice(hands.heldPiece !== null && hands.heldFrom === null ? 1 : 0);
  node("box-hint").textContent = pieces.length > 0 ? t("Press the piece and then a square, or drag it there.") : t("Drag the piece here, or press Delete on its square, to take it off.");
  const box = node("box");
  const key = JSON.stringify([pieces, view.mayTouch, document.documentElement.lang]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.replaceChildren(...pieces.map((piece) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "captive", disabled: !view.mayTouch });
    button.dataset.piece = piece;
    button.setAttribute("aria-label", t("{piece} in the box: take it out", { piece: pieceName(piece) }));
    button.append(pieceNode(piece));
    return button;
  }));
}

function drawLink() {
  const chip = node("link");
  const over = view.state?.stopped;
  const watching = view.standing === "open" && view.state?.allowed?.act === false;
  const text = { open: watching ? t("Watching only") : t("Connected"), connecting: t("Connecting…"), waiting: t("Connection lost. Trying again…") }[view.standing];
  const shown = over && view.standing !== "open" ? t("Stopped") : text;
  if (chip.textContent !== shown) chip.textContent = shown;
  chip.dataset.standing = over ? "over" : view.standing;
  document.body.dataset.standing = over ? "over" : view.standing;
}

let toastTimer = 0;
function toast(text) {
  const shown = node("toast");
  shown.textContent = text;
  shown.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (shown.hidden = true), TOAST_MS);
}

function say(text) {
  node("live").textContent = text;
}

async function choose(language, options) {
  const codes = await speak(language, options);
  const select = node("language");
  select.replaceChildren(...codes.map((code) => new Option(nativeName(code), code, false, code === document.documentElement.lang)));
  node("learned").dataset.key = "";
  view.set({});
}

for (const command of ["skip", "back", "again", "trust", "stop"]) {
  node(command).addEventListener("click", () => send({ type: "calibrate", command }));
}
node("language").addEventListener("change", (event) => choose(event.target.value, { remember: true }));
document.addEventListener("focusin", (event) => {
  const square = event.target.dataset?.square;
  if (square) view.set({ touched: square });
});
node("board").addEventListener("pointerover", (event) => {
  const square = event.target.closest?.(".cell")?.dataset.square;
  if (square && event.pointerType === "mouse") view.set({ touched: square });
});
addEventListener("resize", () => view.set({}));
addEventListener("scroll", () => view.set({}), { passive: true });

await choose(preferred());
link.open();
