// Own the names of squares and the reading of positions (OTN). Knows no rule of the game.

/** Give a square's name from file and rank, both from 0. */
export const nameOf = (file, rank) => String.fromCharCode(97 + file) + (rank + 1);

/** Give file and rank, both from 0, of a square's name. */
export const placeOf = (square) => ({ file: square.charCodeAt(0) - 97, rank: Number(square.slice(1)) - 1 });

/** Give the centre square of a board. */
export const throneOf = (size) => nameOf((size - 1) / 2, (size - 1) / 2);

/** Give the four corner squares of a board. */
export const cornersOf = (size) => [nameOf(0, 0), nameOf(size - 1, 0), nameOf(0, size - 1), nameOf(size - 1, size - 1)];

/** Read a position: `/3ttt3/…/`, rank 1 first, digits are empty squares. Returns pieces by square. */
export function piecesOf(position) {
  const pieces = {};
  position.split("/").filter(Boolean).forEach((row, rank) => {
    let file = 0;
    for (const token of row.match(/\d+|[a-zA-Z]/g) ?? []) {
      if (/\d/.test(token)) file += Number(token);
      else pieces[nameOf(file++, rank)] = token;
    }
  });
  return pieces;
}

/** Take a move apart: `d1-d3xd4/c3` with or without a piece letter. */
export function movePlaces(move) {
  const [, from, to, captures] = /^[A-Za-z]?([a-z]\d+)-([a-z]\d+)(?:x([a-z\d/]+))?/.exec(move) ?? [];
  return { from, to, captures: captures ? captures.split("/") : [] };
}

/** Sort squares as people read a board: by file, then rank. */
export const sorted = (squares) => [...squares].sort((one, other) => {
  const a = placeOf(one);
  const b = placeOf(other);
  return a.file - b.file || a.rank - b.rank;
});
