// Own the words for everything the daemon speaks of in codes: sides, pieces, roles of lights, reasons, books.
//
// Data only, one row a line. Codes that are not here are shown as they came: readers ignore what they do not know.

import { mark, t } from "./words.js";

const SIDE_OF = { t: "attackers", T: "defenders", K: "defenders" };

const SIDES = {
  attackers: { name: mark("Attackers"), turn: mark("Attackers to move"), win: mark("Attackers win") },
  defenders: { name: mark("Defenders"), turn: mark("Defenders to move"), win: mark("Defenders win") },
};

const PIECES = {
  t: { name: mark("attacker"), image: "attacker", lifted: mark("Attacker lifted from {square}"), dropped: mark("Attacker put down on {square}"), boxed: mark("Attacker taken off from {square}"), picked: mark("Attacker taken from the box") },
  T: { name: mark("defender"), image: "defender", lifted: mark("Defender lifted from {square}"), dropped: mark("Defender put down on {square}"), boxed: mark("Defender taken off from {square}"), picked: mark("Defender taken from the box") },
  K: { name: mark("king"), image: "king", lifted: mark("King lifted from {square}"), dropped: mark("King put down on {square}"), boxed: mark("King taken off from {square}"), picked: mark("King taken from the box") },
};

// What a light is called, and why it shines.
const ROLES = {
  "king-danger": { name: mark("king in danger"), why: mark("The king could be captured by the attackers' next move.") },
  threat: { name: mark("threat to the king"), why: mark("The king is threatened from here.") },
  illegal: { name: mark("not allowed"), why: mark("A piece was put down where it may not be: put it back, or on a square where it may go.") },
  missing: { name: mark("piece missing"), why: mark("A piece of the game should stand here: put it back.") },
  extra: { name: mark("piece too many"), why: mark("Nothing should stand here: take the piece away.") },
  remove: { name: mark("take off"), why: mark("This piece is captured: take it off the board.") },
  question: { name: mark("question"), why: mark("The board asks about this square.") },
  sensor: { name: mark("sensor fault"), why: mark("The sensor of this square cannot be trusted: what happens here is not seen.") },
  "engine-from": { name: mark("computer's move, from"), why: mark("The computer moves this piece: move it for the computer.") },
  "engine-to": { name: mark("computer's move, to"), why: mark("The computer moves here: put its piece down here.") },
  winner: { name: mark("winner"), why: mark("This side has won.") },
  capture: { name: mark("capture"), why: mark("The lifted piece may go here, and captures by it.") },
  victim: { name: mark("would be captured"), why: mark("The lifted piece can capture this piece.") },
  risky: { name: mark("risky destination"), why: mark("The lifted piece may go here, but could be captured by the reply.") },
  destination: { name: mark("destination"), why: mark("The lifted piece may go here.") },
  origin: { name: mark("lifted piece"), why: mark("The lifted piece stood here.") },
  provisional: { name: mark("move not settled"), why: mark("This move is not accepted yet: let the piece rest a moment.") },
  escape: { name: mark("way out"), why: mark("The king could reach his goal here by the next move.") },
  endangered: { name: mark("endangered"), why: mark("This piece could be captured by the next move.") },
  hint: { name: mark("advice"), why: mark("The board's advice.") },
  "last-from": { name: mark("last move, from"), why: mark("The last move began here.") },
  "last-to": { name: mark("last move, to"), why: mark("The last move ended here.") },
  turn: { name: mark("turn"), why: mark("This light tells whose turn it is.") },
};

// `to` is who is meant: the opponent of the side that brought it about, but the one who repeats is warned himself.
const ANNOUNCEMENTS = {
  raichi: { call: mark("Raichi!"), to: "attackers", meant: mark("Attackers, take care: one way is open to the king.") },
  tuichi: { call: mark("Tuichi!"), to: "attackers", meant: mark("Attackers, two or more ways are open to the king.") },
  "king-in-danger": { call: mark("King in danger!"), to: "defenders", meant: mark("Defenders, guard your king: the next move could capture him.") },
  "repetition-warning": { call: mark("Repetition!"), to: null, meant: { attackers: mark("Attackers, do not go on repeating: that ends the game."), defenders: mark("Defenders, do not go on repeating: that ends the game.") } },
};

const REASONS = {
  "king-captured": mark("The king is captured."),
  "king-escaped": mark("The king has reached his goal."),
  "three-moves": mark("By the rule of three moves: the same move was repeated too often."),
  "no-legal-moves": mark("No legal move is left."),
  encircled: mark("The king and all defenders are cut off from the edge."),
  "exit-fort": mark("The king stands on the edge in a fort that cannot be broken."),
  repetition: mark("The same position came about too often."),
  resignation: mark("The opponent resigned."),
  "draw-agreed": mark("The players agreed on a draw."),
};

const ILLEGAL = {
  "not-your-turn": mark("It is the other side's turn."),
  occupied: mark("This square is occupied."),
  blocked: mark("The way is blocked."),
  diagonal: mark("Pieces move straight only, like a rook."),
  "forbidden-square": mark("This square is the king's alone."),
  "not-the-chosen-move": mark("This is not the move that was chosen."),
  "king-may-not-return": mark("The king may not return to the throne."),
};

// What went wrong with the program that plays the computer's side.
const TROUBLES = {
  start: mark("The computer's program cannot be started. It is tried again."),
  hung: mark("The computer's program did not answer and was started again."),
  crashed: mark("The computer's program broke down and was started again."),
  nonsense: mark("The computer's program could not be understood and was started again."),
  illegal: mark("The computer's program chose a move that is not allowed and was started again."),
};

const BOOKS = {
  "tablut-edge": { name: mark("Tablut · to the edge"), goal: "edge" },
  "tablut-corner": { name: mark("Tablut · to the corner"), goal: "corner" },
  "hnefatafl-11": { name: mark("Hnefatafl 11×11"), goal: "corner" },
  "hnefatafl-13": { name: mark("Hnefatafl 13×13"), goal: "corner" },
  linnaean: { name: mark("Tablut · after Linnaeus"), goal: "edge" },
  "sea-battle": { name: mark("Sea battle 9×9"), goal: "edge" },
  brandubh: { name: mark("Brandubh 7×7"), goal: "corner" },
  copenhagen: { name: mark("Hnefatafl · Copenhagen 11×11"), goal: "corner" },
  ashton: { name: mark("Tablut · with camps"), goal: "edge" },
};

const LEVELS = {
  off: { name: mark("Off"), why: mark("The lights stay dark, but for a question of the board.") },
  rules: { name: mark("Rules"), why: mark("Where a lifted piece may go, what to take off, what to put right.") },
  captures: { name: mark("Captures"), why: mark("Also what a lifted piece would capture, and danger to the king.") },
  coach: { name: mark("Coach"), why: mark("Also risky destinations, and pieces that could be captured next.") },
};

// What the daemon says when it does not do as asked. The buttons mostly keep one from hearing it.
const REFUSALS = [
  mark("no move was played that could be taken back"),
  mark("the game is over already"),
  mark("this game is not over yet"),
  mark("this game has not begun yet"),
  mark("the board has asked nothing"),
  mark("the pieces of this board are moved by real hands"),
  mark("there is no computer that could be asked"),
  mark("it is the computer's turn"),
  mark("the board has asked something: answer that first"),
  mark("no piece is in the hand"),
  mark("a name has at most 80 characters, and none of [ ] |"),
  mark("nothing stands on {square}"),
  mark("a piece stands on {square} already"),
  mark("no such piece lies in the box"),
  mark("this page may only watch: open the address with the token that konakis prints"),
  mark("this token is not the board's: open the address that konakis prints"),
  mark("this failed inside the program; its log says more"),
];

// Why lights stay dark: what the configuration says. What a driver says is shown as it came.
const DARK = [
  mark("the configuration says [lights] wire = 'none'"),
  mark("sensors on the Pi's pins bring no lights: choose [lights] wire = 'pwm', 'pio' or 'spi'"),
  mark("the board's firmware has no lights: set [microcontroller] lights_pin and run `konakis firmware`, or wire them to the Pi and choose it with [lights] wire"),
];

export const LEVEL_NAMES = Object.keys(LEVELS);

/** Give the side of a piece letter. */
export const sideOf = (piece) => SIDE_OF[piece];
export const opponent = (side) => (side === "attackers" ? "defenders" : "attackers");

export const sideName = (side) => t(SIDES[side]?.name ?? side);
export const turnText = (side) => t(SIDES[side]?.turn ?? side);
export const winText = (side) => t(SIDES[side]?.win ?? side);

export const pieceName = (piece) => t(PIECES[piece]?.name ?? piece);
export const pieceImage = (piece) => `static/img/${PIECES[piece]?.image ?? "defender"}.svg`;
/** Say what a hand did with a piece: `deed` is lifted, dropped, boxed or picked. */
export const deedText = (piece, deed, square) => t(PIECES[piece]?.[deed] ?? deed, { square });

export const roleName = (role) => t(ROLES[role]?.name ?? role);
export const roleWhy = (role) => t(ROLES[role]?.why ?? role);
export const ROLE_NAMES = Object.keys(ROLES);

export const reasonText = (reason) => t(REASONS[reason] ?? reason);
export const troubleText = (trouble) => t(TROUBLES[trouble] ?? trouble);
export const illegalText = (reason) => t(ILLEGAL[reason] ?? reason);

/** Give an announcement: what is called out, to whom, and what it means to them. `mover` is who moved last. */
export function announcement(word, mover) {
  const known = ANNOUNCEMENTS[word];
  if (!known) return { call: word, to: opponent(mover), meant: "" };
  const to = known.to ?? mover;
  const meant = typeof known.meant === "string" ? known.meant : known.meant[to];
  return { call: t(known.call), to, meant: meant ? t(meant) : "" };
}

/** Give a refusal in the page's language; one that is not known is shown as it came. */
export function refusalText(why) {
  const square = /\b[a-s]\d{1,2}\b/.exec(why)?.[0];
  const message = square ? why.replace(square, "{square}") : why;
  return REFUSALS.includes(message) ? t(message, { square }) : why;
}

/** Say in the page's language why lights are dark; a reason that is not known is shown as it came. */
export const darkText = (why) => (DARK.includes(why) ? t(why) : why);

export const bookName = (book) => t(BOOKS[book]?.name ?? book);
export const bookGoal = (book) => BOOKS[book]?.goal ?? "edge";

export const levelName = (level) => t(LEVELS[level]?.name ?? level);
export const levelWhy = (level) => t(LEVELS[level]?.why ?? level);
