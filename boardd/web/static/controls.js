// Own the buttons and settings: what they ask of the daemon, and asking twice before something is given up.

import { LEVEL_NAMES, levelName, levelWhy } from "./vocabulary.js";
import { language, nativeName, t } from "./words.js";

const SIDES = ["attackers", "defenders"];
const SETTLE_MS = 600; // own changes of a slider or a name are not overwritten by states that were already on their way

export class Controls {
  #nodes;
  #send;
  #own = new Map();
  #awaitAnswer;
  /** The names that were asked for and are not told by the daemon yet, or null. */
  #named = null;

  /** `awaitAnswer()` is called when a button was pressed whose answer appears elsewhere. */
  constructor(nodes, send, awaitAnswer) {
    this.#nodes = nodes;
    this.#send = send;
    this.#awaitAnswer = awaitAnswer;
    nodes.takeback.addEventListener("click", () => this.#command("takeback"));
    nodes.hint.addEventListener("click", () => this.#command("hint"));
    nodes.newGame.addEventListener("click", () => this.#command("new-game"));
    nodes.resign.addEventListener("click", () => this.#askTwice("resign"));
    nodes.draw.addEventListener("click", () => this.#askTwice("draw"));
    nodes.brightness.addEventListener("input", () => {
      this.#touch("brightness");
      send({ type: "brightness", value: Number(nodes.brightness.value) });
    });
    for (const name of [nodes.attackers, nodes.defenders]) {
      name.addEventListener("change", () => {
        this.#touch("names");
        this.#named = { attackers: nodes.attackers.value.trim(), defenders: nodes.defenders.value.trim() };
        send({ type: "names", ...this.#named });
      });
    }
    nodes.levels.addEventListener("change", (event) => {
      this.#touch("level");
      send({ type: "hints", level: event.target.value });
    });
    nodes.sureNo.addEventListener("click", () => nodes.sure.close());
    nodes.sureYes.addEventListener("click", () => {
      nodes.sure.close();
      this.#command(nodes.sure.dataset.command);
    });
    this.#buildLevels();
  }

  /** Take note that a message was refused: names that were asked for give way to the real ones. */
  refused(state) {
    if (this.#named === null) return;
    this.#named = null;
    for (const side of SIDES) this.#nodes[side].value = state?.names?.[side] ?? "";
  }

  /** Write the texts of controls that are built here, after the language has changed. */
  translate() {
    for (const label of this.#nodes.levels.querySelectorAll("[data-level]")) label.textContent = levelName(label.dataset.level);
  }

  /** Offer the languages there are. */
  offerLanguages(codes, choose) {
    const { language: select } = this.#nodes;
    select.replaceChildren(...codes.map((code) => {
      const option = new Option(nativeName(code), code);
      option.lang = code;
      return option;
    }));
    select.value = language();
    select.onchange = () => choose(select.value);
  }

  draw(view) {
    const { state, mayAct } = view;
    const nodes = this.#nodes;
    const going = state.result === null;
    nodes.takeback.disabled = !mayAct || (state.moves.length === 0 && going);
    const { computer } = state;
    nodes.hint.hidden = !computer;
    nodes.hint.disabled = !mayAct || !going || Boolean(computer?.hinting) || computer?.side === state.side;
    nodes.draw.disabled = nodes.resign.disabled = !mayAct || !going;
    nodes.newGame.disabled = !mayAct || (state.moves.length === 0 && going && !canBeSetUp(state));
    nodes.newGame.classList.toggle("strong", !going);
    for (const input of [nodes.brightness, nodes.attackers, nodes.defenders, nodes.levels]) input.disabled = !mayAct;
    if (!this.#isOwn("brightness")) nodes.brightness.value = state.brightness;
    nodes.brightness.setAttribute("aria-valuetext", `${Math.round(nodes.brightness.value * 100)}%`);
    nodes.brightness.style.setProperty("--share", `${nodes.brightness.value * 100}%`);
    if (SIDES.every((side) => this.#named?.[side] === state.names?.[side])) this.#named = null;
    for (const side of SIDES) {
      if (!this.#isOwn("names") && document.activeElement !== nodes[side]) nodes[side].value = state.names?.[side] ?? "";
    }
    if (!this.#isOwn("level")) {
      for (const radio of nodes.levels.querySelectorAll("input")) radio.checked = radio.value === state.level;
    }
    nodes.levelHint.textContent = levelWhy(nodes.levels.querySelector("input:checked")?.value ?? state.level);
    if (!going && nodes.sure.open) nodes.sure.close();
    nodes.sure.dataset.side = state.side;
  }

  #command(command) {
    if (this.#send({ type: "command", command })) this.#awaitAnswer();
  }

  #askTwice(command) {
    const { sure, sureText, sureYes } = this.#nodes;
    const attackers = sure.dataset.side === "attackers";
    const [text, yes] = command === "draw"
      ? [t("Do both players agree on a draw?"), t("Yes, a draw")]
      : [attackers ? t("Do the attackers give the game up?") : t("Do the defenders give the game up?"), t("Yes, resign")];
    sureText.textContent = text;
    sureYes.textContent = yes;
    sure.dataset.command = command;
    sure.showModal();
  }

  #buildLevels() {
    const choices = document.createElement("div");
    choices.className = "segments";
    for (const level of LEVEL_NAMES) {
      const label = document.createElement("label");
      const radio = Object.assign(document.createElement("input"), { type: "radio", name: "level", value: level });
      const words = document.createElement("span");
      words.dataset.level = level;
      label.append(radio, words);
      choices.append(label);
    }
    this.#nodes.levels.append(choices);
  }

  #touch(what) {
    this.#own.set(what, performance.now());
  }

  #isOwn(what) {
    return performance.now() - (this.#own.get(what) ?? -Infinity) < SETTLE_MS;
  }
}

/** Does a simulated board stand wrong, so that its hands may set it up again? */
function canBeSetUp({ simulated, mismatch }) {
  return simulated && (mismatch?.missing ?? []).length + (mismatch?.extra ?? []).length > 0;
}
