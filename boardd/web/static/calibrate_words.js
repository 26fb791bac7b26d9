// Own what a calibration asks, refuses and has found, in words. Data in, sentences out; draws nothing.

import { list, mark, t } from "./words.js";

const CORNERS = {
  "bottom-left": mark("from the bottom left"),
  "bottom-right": mark("from the bottom right"),
  "top-left": mark("from the top left"),
  "top-right": mark("from the top right"),
};
const WAYS = {
  ranks: { plain: mark("along the ranks, each the same way"), serpentine: mark("along the ranks, there and back") },
  files: { plain: mark("along the files, each the same way"), serpentine: mark("along the files, there and back") },
};

/** Tell what is asked for: the stage, the request, how it is meant, and whether a piece is wanted. */
export function requestOf(state) {
  const { stage, square, dark, trusted } = state;
  const stages = dark || trusted ? 2 : 3;
  const place = (step, name) => t("Part {step} of {stages}: {name}", { step, stages, name });
  if (state.stopped && stage !== "done") {
    return { stage: "", request: t("Stopped"), how: t("Nothing is lost: the same command goes on from here. This page can be closed."), piece: false };
  }
  if (stage === "empty") {
    return { stage: place(1, t("the empty board")), request: t("Take every piece off the board"), how: t("The sensors are read as they are without a magnet."), piece: false };
  }
  if (stage === "sensors") {
    return { stage: place(2, t("sensors")), request: t("Put the piece on {square}", { square }), how: [t("Or push it there. One piece only; let it rest a moment."), stages === 3 ? t("If another square shines, that comes in part 3.") : ""].join(" "), piece: true };
  }
  if (stage === "lights") {
    const stands = state.simulated && (state.lit ?? []).some((place) => place in (state.board ?? {}));
    const how = stands || !state.simulated ? t("If it stands there already, lift it and put it down again.") : t("The one light that shines is being learned.");
    return { stage: place(3, t("lights")), request: t("Put the piece on the square that shines"), how, piece: true };
  }
  const how = state.stopped ? t("This page can be closed.") : t("It is written to {file}. Undo is still possible.", { file: state.file });
  return { stage: "", request: t("Everything is learned"), how, piece: false };
}

/** Name a contradiction and what to do about it; null if there is none. */
export function troubleOf({ trouble, stopped }) {
  if (!trouble || stopped) return null;
  const sensors = list((trouble.sensors ?? []).map(String));
  switch (trouble.about) {
    case "unreachable":
      return t("The board is not connected.");
    case "odd":
      return t("These sensors read otherwise than the rest: {sensors}. Take off what stands there. If the board is empty, they are broken: go on without them.", { sensors });
    case "together":
      return t("Several sensors read a piece at once: {sensors}. Leave one piece on the board. If there is only one, look for a short between them.", { sensors });
    case "elsewhere":
      return t("Sensor {sensor} was learned as that of {other}. The piece belongs on {square}. If it stands there, undo until {other} is asked for again.", trouble);
    case "nowhere":
      return t("Sensor {sensor} belongs to no square. Undo until it can be learned.", trouble);
    case "lit":
      return t("{square} has light {other} already; light {light} cannot be there too. Put the piece on the square that shines. If that is {square}, undo until light {other} shines.", trouble);
    default:
      return trouble.text;
  }
}

/** Name what skipping means now. */
export function skipText({ stage }) {
  if (stage === "empty") return t("The board is empty: go on without them");
  return stage === "sensors" ? t("This square does not answer: skip it") : t("No light shines: skip it");
}

/** Tell how a chain of sensors or lights lies. */
export function lieText(lie) {
  if (lie === null) return t("not certain yet how they lie");
  if (!lie.regular) return t("in no regular order");
  const way = WAYS[lie.along]?.[lie.serpentine ? "serpentine" : "plain"];
  return `${t(CORNERS[lie.corner] ?? lie.corner)} ${t(way ?? lie.along)}`;
}
