// Put the page's parts together: what the daemon says goes into the view, the view is drawn, hands and buttons answer.

import { Board } from "./board.js";
import { drawBox } from "./box.js";
import { Controls } from "./controls.js";
import { Curve } from "./curve.js";
import { Hands } from "./hands.js";
import { drawWhy } from "./lights.js";
import { Moves } from "./moves.js";
import { Link } from "./socket.js";
import { Status } from "./status.js";
import { View } from "./view.js";
import { bookName, refusalText } from "./vocabulary.js";
import { preferred, speak, t } from "./words.js";

const TOAST_MS = 5000; // long enough to read one line twice

const node = (id) => document.getElementById(id);
const nodes = (...ids) => Object.fromEntries(ids.map(([name, id]) => [name, node(id)]));

const view = new View(draw);
const board = new Board(node("board"), node("frame"));
const send = (message) => {
  const sent = link.send(message);
  if (!sent) toast(t("Not connected: nothing was sent."));
  return sent;
};
const hands = new Hands(board, node("box"), view, { send, say, tell: toast, redraw: () => view.set({}) });
const status = new Status(
  { root: document.querySelector(".status"), ...nodes(["turn", "turn"], ["calls", "calls"], ["question", "question"],
    ["text", "question-text"], ["confirm", "confirm"], ["cancel", "cancel"], ["notices", "notices"], ["news", "news"], ["past", "past-note"], ["live", "live"], ["liveNow", "live-now"]) },
  send,
);
const moves = new Moves(
  nodes(["list", "move-list"], ["first", "step-first"], ["back", "step-back"], ["forth", "step-forth"],
    ["last", "step-last"], ["place", "step-place"], ["now", "now"]),
  view,
);
const curve = new Curve(nodes(["curve", "curve"], ["ask", "look-back"]), view, send);
const controls = new Controls(
  nodes(["takeback", "takeback"], ["hint", "ask-hint"], ["newGame", "new-game"], ["resign", "resign"], ["draw", "draw"], ["levels", "levels"],
    ["levelHint", "level-hint"], ["brightness", "brightness"], ["attackers", "name-attackers"], ["defenders", "name-defenders"],
    ["language", "language"], ["sure", "sure"], ["sureText", "sure-text"], ["sureYes", "sure-yes"], ["sureNo", "sure-no"]),
  send,
  () => status.awaitAnswer(),
);
const why = { root: node("why"), ...nodes(["text", "why-text"], ["legend", "legend"], ["now", "now"]) };
const box = nodes(["box", "box"], ["title", "captured-title"], ["hint", "box-hint"]);

const link = new Link({
  message(message) {
    if (message.type === "state") {
      view.set({ state: message });
      hands.heard();
    } else if (message.type === "refused") {
      hands.refused();
      controls.refused(view.state);
      toast(refusalText(message.why));
      view.set({});
    }
  },
  standing(standing, retryAt = 0) {
    view.set({ standing, retryAt });
  },
});

function draw() {
  drawLink();
  if (view.state === null) return;
  const held = hands.heldFrom;
  board.draw(view, hands.pieces, held);
  hands.draw();
  drawWhy(why, view);
  drawBox(box, view, held === null ? hands.heldPiece : null);
  status.draw(view);
  moves.draw();
  curve.draw();
  controls.draw(view);
  node("book").textContent = bookName(view.state.rules);
  node("board").setAttribute("aria-label", t("Board"));
  node("board-help").textContent = view.mayTouch
    ? t("Arrow keys go over the squares. Enter lifts a piece and puts it down, Delete takes it off, Escape puts it back.")
    : t("Arrow keys go over the squares.");
  document.body.classList.add("ready");
}

function drawLink() {
  const chip = node("link");
  const watching = view.standing === "open" && view.state?.allowed?.act === false;
  const text = { open: watching ? t("Watching only") : t("Connected"), connecting: t("Connecting…"), waiting: t("Connection lost. Trying again…") }[view.standing];
  if (chip.textContent !== text) chip.textContent = text;
  chip.dataset.standing = view.standing;
  document.body.dataset.standing = view.standing;
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
  controls.offerLanguages(codes, (code) => choose(code, { remember: true }));
  controls.translate();
  view.set({});
}

document.addEventListener("focusin", (event) => {
  const square = event.target.dataset?.square;
  if (square) view.set({ touched: square });
});
node("board").addEventListener("pointerover", (event) => {
  const square = event.target.closest?.(".cell")?.dataset.square;
  if (square && event.pointerType === "mouse" && view.lights[square]) view.set({ touched: square });
});
addEventListener("resize", () => view.set({}));
addEventListener("scroll", () => view.set({}), { passive: true });

await choose(preferred());
link.open();
