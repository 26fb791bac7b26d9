// Own the picture of the captured pieces. On the simulated board it is the box: its pieces can be taken out again.

import { pieceNode } from "./board.js";
import { piecesOf } from "./squares.js";
import { pieceName, sideName, sideOf } from "./vocabulary.js";
import { t } from "./words.js";

const SIDES = ["attackers", "defenders"];

/** Draw the captured pieces; `picked` is the letter of the one just taken out of the box, or null. */
export function drawBox(nodes, view, picked) {
  const isBox = view.live && view.state.simulated;
  const pieces = isBox ? withoutPicked(view.state.box ?? [], picked) : captured(view);
  nodes.title.textContent = isBox ? t("Box of captured pieces") : t("Captured pieces");
  nodes.hint.textContent = isBox && pieces.length > 0 ? t("Press a piece and then a square, or drag it, to put it back.") : "";
  nodes.box.classList.toggle("is-box", isBox);
  const key = JSON.stringify([pieces, isBox, view.mayTouch, sideName("attackers")]);
  if (nodes.box.dataset.key === key) return;
  nodes.box.dataset.key = key;
  nodes.box.replaceChildren(...SIDES.map((side) => heap(side, pieces.filter((piece) => sideOf(piece) === side), view.mayTouch)));
}

function heap(side, pieces, touchable) {
  const node = document.createElement("div");
  node.className = `heap heap-${side}`;
  const title = document.createElement("span");
  title.className = "heap-title";
  title.textContent = `${sideName(side)}: ${pieces.length}`;
  node.append(title, ...pieces.map((piece) => captive(piece, touchable)));
  return node;
}

function captive(piece, touchable) {
  const node = document.createElement(touchable ? "button" : "span");
  node.className = "captive";
  if (touchable) {
    node.type = "button";
    node.dataset.piece = piece;
    node.setAttribute("aria-label", t("{piece} in the box: take it out", { piece: pieceName(piece) }));
  }
  node.append(pieceNode(piece));
  return node;
}

function withoutPicked(pieces, picked) {
  const index = picked === null ? -1 : pieces.indexOf(picked);
  return pieces.filter((_, place) => place !== index);
}

/** Tell what is missing from the start in the position shown. */
function captured(view) {
  const { state } = view;
  const standing = Object.values(view.live ? state.pieces : view.positionAfter(view.past));
  const missing = [];
  for (const piece of Object.values(piecesOf(state.start))) {
    const index = standing.indexOf(piece);
    if (index < 0) missing.push(piece);
    else standing.splice(index, 1);
  }
  return missing.sort();
}
