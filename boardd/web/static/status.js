// Own what is told in large letters: whose turn, announcements, the result, what the board asks and what is wrong.
//
// The same is spoken to screen readers, once each, when it changes.

import { pieceNode } from "./board.js";
import { sorted } from "./squares.js";
import { announcement, illegalText, opponent, pieceName, reasonText, sideName, troubleText, turnText, winText } from "./vocabulary.js";
import { list, t } from "./words.js";

const AWAITED_MS = 2000; // what appears so soon after a button was pressed is its answer
const TURN_PIECE = { attackers: "t", defenders: "K" };

export class Status {
  #nodes;
  #spoken = "";
  #called = "";
  #lasting = { text: "", beside: "" }; // what stays for weeks is spoken once, beside what was told then
  #awaited = -Infinity;

  constructor(nodes, send) {
    this.#nodes = nodes;
    nodes.confirm.addEventListener("click", () => send({ type: "command", command: "confirm" }));
    nodes.cancel.addEventListener("click", () => send({ type: "command", command: "cancel" }));
  }

  /** Take note that a button was pressed here: what it brings about is brought into sight. */
  awaitAnswer() {
    this.#awaited = performance.now();
    if (!this.#nodes.question.hidden) this.#showAnswer(true);
  }

  draw(view) {
    const { state } = view;
    const turn = this.#drawTurn(state);
    const calls = this.#drawCalls(state);
    const asking = !this.#nodes.question.hidden;
    const told = this.#nodes.notices.dataset.key;
    const question = this.#drawQuestion(state, view.mayAct);
    const notices = this.#drawNotices(state);
    const asks = Boolean(question) && !asking;
    if (asks || (notices.length > 0 && this.#nodes.notices.dataset.key !== told)) this.#showAnswer(asks);
    this.#nodes.root.classList.toggle("past", !view.live);
    this.#nodes.past.hidden = view.live;
    const lasting = noticesOfSensors(state.health).map(([, text]) => text);
    const passing = notices.filter((text) => !lasting.includes(text));
    this.#speak([lastMoveText(state), turn, ...passing], lasting.join(" "), [...calls, question].filter(Boolean));
    document.title = `${calls[0] ?? turn} · Konakis`;
  }

  /** Bring question and notices into sight, below the board where that is in one column; go to the question's buttons. */
  #showAnswer(asks) {
    if (performance.now() - this.#awaited > AWAITED_MS) return;
    const { news, confirm } = this.#nodes;
    const { top, bottom } = news.getBoundingClientRect();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (top < 0 || bottom > innerHeight) news.scrollIntoView({ block: "end", behavior: still ? "auto" : "smooth" });
    if (asks) confirm.focus({ preventScroll: true });
  }

  #drawTurn(state) {
    const { result, side } = state;
    const shown = result ? result.winner : side;
    const text = result ? (result.winner ? winText(result.winner) : t("Draw")) : turnText(side);
    const name = shown && state.names?.[shown];
    this.#nodes.root.dataset.side = shown ?? "";
    this.#nodes.root.classList.toggle("over", Boolean(result));
    const words = Object.assign(document.createElement("span"), { textContent: text });
    const key = [text, name, shown].join("|");
    if (this.#nodes.turn.dataset.key !== key) {
      this.#nodes.turn.dataset.key = key;
      this.#nodes.turn.replaceChildren(...(shown ? [pieceNode(TURN_PIECE[shown])] : []), words);
      if (name) words.append(Object.assign(document.createElement("small"), { textContent: name }));
    }
    return name ? `${text}: ${name}` : text;
  }

  /** Draw announcements, or the reason why the game is over. Returns them as sentences. */
  #drawCalls(state) {
    const calls = [];
    if (state.result) calls.push({ call: "", meant: reasonText(state.result.reason), kind: "over" });
    else {
      const mover = state.moves.at(-1)?.side ?? opponent(state.side);
      for (const word of state.announce ?? []) calls.push({ ...announcement(word, mover), kind: word });
    }
    const key = JSON.stringify(calls);
    if (this.#nodes.calls.dataset.key !== key) {
      this.#nodes.calls.dataset.key = key;
      this.#nodes.calls.replaceChildren(...calls.map(callNode));
    }
    return calls.map(({ call, meant }) => [call, meant].filter(Boolean).join(" "));
  }

  #drawQuestion({ question }, mayAct) {
    const { question: bar, text, confirm, cancel } = this.#nodes;
    bar.hidden = !question;
    if (!question) return "";
    const [asked, yes, no] = questionWords(question);
    text.textContent = asked;
    confirm.textContent = yes;
    cancel.textContent = no;
    confirm.disabled = cancel.disabled = !mayAct;
    return asked;
  }

  #drawNotices(state) {
    const notices = noticesOf(state);
    const key = JSON.stringify(notices);
    if (this.#nodes.notices.dataset.key !== key) {
      this.#nodes.notices.dataset.key = key;
      this.#nodes.notices.replaceChildren(...notices.map(([kind, text]) => Object.assign(document.createElement("li"), { className: kind, textContent: text })));
    }
    return notices.map(([, text]) => text);
  }

  #speak(news, lasting, urgent) {
    const beside = news.filter(Boolean).join(". ");
    if (lasting !== this.#lasting.text) this.#lasting = { text: lasting, beside };
    const polite = [beside, this.#lasting.beside === beside ? lasting : ""].filter(Boolean).join(". ");
    if (polite !== this.#spoken) {
      this.#spoken = polite;
      this.#nodes.live.textContent = polite;
    }
    const called = urgent.join(" ");
    if (called !== this.#called) {
      this.#called = called;
      this.#nodes.liveNow.textContent = called;
    }
  }
}

function callNode({ call, meant, kind }) {
  const node = document.createElement("div");
  node.className = `call call-${kind}`;
  if (call) node.append(Object.assign(document.createElement("p"), { className: "call-out", textContent: call }));
  if (meant) node.append(Object.assign(document.createElement("p"), { className: "call-meant", textContent: meant }));
  return node;
}

/** Give what is asked, and the words for yes and no. */
function questionWords(question) {
  const squares = question.squares ?? [];
  if (question.about === "new-game") {
    return [t("Start a new game? The one being played is not finished."), t("Start a new game"), t("Go on playing")];
  }
  if (question.about === "move") {
    const move = question.move ?? [question.from, question.to].filter(Boolean).join("-");
    return [t("Was {move} played? The sensors do not tell for certain.", { move }), t("Yes, it was played"), t("No")];
  }
  if (question.about === "sensor") {
    return [t("Play on without the sensor of {squares}?", { squares: list(sorted(squares)) }), t("Play on without it"), t("No")];
  }
  return [t("The board asks: {about}", { about: question.about }), t("Yes"), t("No")];
}

/** Tell what needs a hand or a look, most urgent first: [kind, text] each. */
function noticesOf(state) {
  const notices = [];
  const { removals = [], illegal, mismatch, pieces } = state;
  const missing = mismatch?.missing ?? [];
  const extra = mismatch?.extra ?? [];
  if (state.connected === false) notices.push(["wrong", t("The board is not connected.")]);
  if (state.stored === false) notices.push(["wrong", t("Not stored: a power cut now would lose moves.")]);
  if (state.damaged) notices.push(["wrong", t("The file of games was damaged. What was sound in it goes on; the old file is kept as {name}.", { name: state.damaged })]);
  notices.push(...noticesOfSensors(state.health));
  if (illegal) notices.push(["wrong", `${illegal.from}–${illegal.to}: ${illegalText(illegal.reason)}`]);
  if (missing.length > 0) {
    const named = sorted(missing).map((square) => (pieces[square] ? `${square} (${pieceName(pieces[square])})` : square));
    notices.push(["wrong", t("Missing on the board: {squares}", { squares: list(named) })]);
  }
  if (extra.length > 0) notices.push(["wrong", t("Does not belong on the board: {squares}", { squares: list(sorted(extra)) })]);
  if (removals.length > 0) notices.push(["todo", t("Take off: {squares}", { squares: list(sorted(removals)) })]);
  if (!state.result) notices.push(...noticesOfComputer(state));
  if (state.state === "held") notices.push(["todo", t("The reply counts once the captured pieces are off.")]);
  return notices;
}

/** Tell which squares the board does not see well. */
function noticesOfSensors(health) {
  const notices = [];
  const { noisy = [], untrusted = [] } = health ?? {};
  const named = (squares) => ({ squares: list(sorted(squares)) });
  if (untrusted.length > 0) notices.push(["wrong", t("Played without these sensors: {squares}. Moves there are asked about.", named(untrusted))]);
  if (noisy.length > 0) notices.push(["todo", t("These sensors bounce ever more and may fail: {squares}. Look at their solder joints and magnets.", named(noisy))]);
  return notices;
}

/** Tell what the computer does, and what it wants done. */
function noticesOfComputer({ computer, question }) {
  const notices = [];
  if (computer?.trouble) notices.push(["wrong", troubleText(computer.trouble)]);
  if (computer?.replaced) notices.push(["wrong", t("The board's own program plays in its place.")]);
  if (computer?.chosen) notices.push(["todo", t("Move for the computer: {move}", { move: computer.chosen.replace("-", "–") })]);
  else if (computer?.thinking) notices.push(["busy", t("The computer is thinking…")]);
  else if (computer?.hinting && !question) notices.push(hintNotice(computer));
  return notices;
}

function hintNotice({ hint_waits: waits }) {
  return waits ? ["todo", t("First put the pieces as they belong: then a good move is looked for.")] : ["busy", t("Looking for a good move…")];
}

function lastMoveText(state) {
  const ply = state.moves.at(-1);
  if (!ply) return "";
  const text = `${sideName(ply.side)}: ${ply.move.replace(/x.*/, "").replace("-", "–")}`;
  return ply.captures.length > 0 ? `${text}, ${t("captured: {squares}", { squares: list(ply.captures) })}` : text;
}
