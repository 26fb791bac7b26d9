"""A second, slow reading of docs/rules.md, written for comparison with the core and for nothing else.

It works on squares as (file, rank) and on the whole board at once, and shares nothing with the core: neither masks
nor borders nor generated moves.
"""

from engine import Announcement, Book, Piece, Reason, Side
from engine.books import Goal, KingArms, KingCapture, NoLegalMove, Repetition, Shieldwall

Point = tuple[int, int]
Board = dict[Point, Piece]
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def beside(point: Point) -> list[Point]:
    return [(point[0] + x, point[1] + y) for x, y in DIRECTIONS]


class Plain:
    """The rules of a book, read again."""

    def __init__(self, book: Book) -> None:
        self.book = book
        last, middle = book.size - 1, book.size // 2
        self.inside = {(x, y) for x in range(book.size) for y in range(book.size)}
        self.throne = (middle, middle)
        self.corners = {(0, 0), (0, last), (last, 0), (last, last)}
        self.edge = {(x, y) for x, y in self.inside if x in (0, last) or y in (0, last)}
        self.camps = {(square % book.size, square // book.size) for square in book.camps}
        self.goals = self.edge - self.camps if book.goal is Goal.EDGE else self.corners

    def camp_of(self, point: Point) -> set[Point]:
        """Further 1: the camp that a square belongs to."""
        return self.spread(point, self.camps) if point in self.camps else set()

    def spread(self, start: Point, over: set[Point]) -> set[Point]:
        found, open_ends = {start}, [start]
        while open_ends:
            fresh = (set(beside(open_ends.pop())) & over) - found
            found |= fresh
            open_ends += fresh
        return found

    def slides(self, board: Board, origin: Point) -> set[Point]:
        """Common 1, edge 2, corner 2, further 1."""
        piece, found = board[origin], set()
        own_camp = self.camp_of(origin) if piece in self.book.camp_moves else set()
        for x, y in DIRECTIONS:
            point = origin
            while True:
                point = (point[0] + x, point[1] + y)
                if point not in self.inside or point in board or point in self.camps - own_camp:
                    break
                if point == self.throne:
                    if piece in self.book.throne_stops and self.book.throne_return:
                        found.add(point)
                    if piece not in self.book.throne_crosses:
                        break
                elif point not in self.corners or piece in self.book.corner_stops:
                    found.add(point)
        return found

    def hostile(self, board: Board, point: Point, victim: Piece, place: Point) -> bool:
        """Common 3 and 4, edge 3, corner 3, further 1: does this square close a sandwich on a victim in its place?"""
        standing = board.get(point)
        if standing is not None and standing.side is not victim.side:
            anvil = self.book.king_arms in (KingArms.ARMED, KingArms.ANVIL)
            if standing is not Piece.KING or anvil:
                return True
        if point == self.throne:
            empty, held = self.book.throne_hostile_empty, self.book.throne_hostile_occupied
            if victim in (empty if standing is None else held):
                return True
            if self.book.fourth_side and victim is Piece.DEFENDER and standing is Piece.KING:
                return sum(board.get(side) is Piece.ATTACKER for side in beside(self.throne)) == 3
        if point in self.camps and victim in self.book.camp_hostile and place not in self.camp_of(point):
            return True
        return point in self.corners and standing is None and victim in self.book.corner_hostile

    def king_falls(self, board: Board, king: Point, mover: Point) -> bool:
        """Edge 4, corner 4: the mover is beside him."""
        closed = [self.hostile(board, side, Piece.KING, king) for side in beside(king)]
        near = self.throne == king or self.throne in beside(king)
        kind = self.book.king_capture
        if kind is KingCapture.SURROUNDED:
            return all(shut or side not in self.inside for shut, side in zip(closed, beside(king), strict=True))
        if kind is KingCapture.FOUR or (kind is KingCapture.NEAR_THRONE and near):
            return all(closed)
        opposite = (2 * king[0] - mover[0], 2 * king[1] - mover[1])
        return self.hostile(board, opposite, Piece.KING, king)

    def after(self, board: Board, origin: Point, destination: Point) -> tuple[Board, set[Point]]:
        """Common 2 and 3: the board after a move, and what it took."""
        moved = dict(board)
        piece = moved[destination] = moved.pop(origin)
        taken: set[Point] = set()
        if piece is Piece.KING and self.book.king_arms not in (KingArms.ARMED, KingArms.HAMMER):
            return moved, taken
        for side in beside(destination):
            victim = moved.get(side)
            if victim is None or victim.side is piece.side:
                continue
            far = (2 * side[0] - destination[0], 2 * side[1] - destination[1])
            if victim is Piece.KING:
                falls = self.king_falls(moved, side, destination)
            else:
                falls = self.hostile(moved, far, victim, side)
            if falls:
                taken.add(side)
        taken |= self.walled(moved, destination)
        return {point: piece for point, piece in moved.items() if point not in taken}, taken

    def walled(self, board: Board, closer: Point) -> set[Point]:
        """Further 2: the soldiers of rows that the piece on this square has closed."""
        taken: set[Point] = set()
        mine = board[closer].side
        if self.book.shieldwall is Shieldwall.NONE:
            return taken

        def closes(point: Point) -> bool:
            if point not in board:
                return point in self.corners and self.book.shieldwall is Shieldwall.WITH_CORNERS
            armed = board[point] is not Piece.KING or self.book.king_arms in (KingArms.ARMED, KingArms.ANVIL)
            return board[point].side is mine and armed

        for outward in DIRECTIONS:
            if (closer[0] + outward[0], closer[1] + outward[1]) in self.inside:
                continue
            for x, y in DIRECTIONS:
                if (x, y) in (outward, (-outward[0], -outward[1])):
                    continue
                row = []
                point = (closer[0] + x, closer[1] + y)
                while point in board and board[point].side is not mine:
                    row.append(point)
                    point = (point[0] + x, point[1] + y)
                faced = [(a - outward[0], b - outward[1]) for a, b in row]
                if len(row) >= 2 and closes(point) and all(front in board and closes(front) for front in faced):
                    taken |= {place for place in row if board[place] is not Piece.KING}
        return taken

    def holds(self, board: Board, area: set[Point], side: Side, *, safe_inside: bool) -> bool:
        """Further 3 and 4: can no piece of that side that touches the area be sandwiched?"""
        book = self.book
        guard = Piece.ATTACKER if side is Side.ATTACKERS else Piece.DEFENDER
        raider = Piece.DEFENDER if side is Side.ATTACKERS else Piece.ATTACKER
        anvil = book.king_arms in (KingArms.ARMED, KingArms.ANVIL)

        def calm(point: Point) -> bool:
            if point not in self.inside:
                return True
            if point in board:
                return board[point].side is side or (board[point] is Piece.KING and not anvil)
            if point == self.throne and guard in book.throne_hostile_empty:
                return False
            if point in self.corners and guard in book.corner_hostile:
                return False
            if (point in area) == safe_inside:
                return True
            barred = point == self.throne and (raider not in book.throne_stops or not book.throne_return)
            return barred or (point in self.corners and raider not in book.corner_stops)

        guards = {place for point in area for place in beside(point) if board.get(place) is guard}
        return all((calm((x - 1, y)) or calm((x + 1, y))) and (calm((x, y - 1)) or calm((x, y + 1))) for x, y in guards)

    def encircled(self, board: Board, king: Point) -> bool:
        """Further 3."""
        area = self.spread(king, {point for point in self.inside if board.get(point) is not Piece.ATTACKER})
        defenders = {point for point, piece in board.items() if piece.side is Side.DEFENDERS}
        return not area & self.edge and defenders <= area and self.holds(board, area, Side.ATTACKERS, safe_inside=False)

    def exit_fort(self, board: Board, king: Point) -> bool:
        """Further 4."""
        area = self.spread(king, {point for point in self.inside if board.get(point) is not Piece.DEFENDER})
        if king not in self.edge or not (set(beside(king)) & self.inside) - set(board) or area & self.corners:
            return False
        enemies = any(board.get(point) is Piece.ATTACKER for point in area)
        return not enemies and self.holds(board, area, Side.DEFENDERS, safe_inside=True)

    def moves(self, board: Board, side: Side) -> dict[tuple[Point, Point], set[Point]]:
        return {
            (origin, destination): self.after(board, origin, destination)[1]
            for origin, piece in board.items()
            if piece.side is side
            for destination in self.slides(board, origin)
        }

    def king(self, board: Board) -> Point | None:
        return next((point for point, piece in board.items() if piece is Piece.KING), None)

    def king_takers(self, board: Board) -> set[tuple[Point, Point]]:
        return {move for move, taken in self.moves(board, Side.ATTACKERS).items() if self.king(board) in taken}

    def taken_next(self, board: Board, by: Side) -> set[Point]:
        return set().union(*self.moves(board, by).values())

    def result(self, board: Board, past: "Past", to_move: Side) -> tuple[Side | None, Reason] | None:
        """Common 5 and 6, edge 6, further 3 to 5."""
        king = self.king(board)
        if king is None:
            return Side.ATTACKERS, Reason.KING_CAPTURED
        if king in self.goals:
            return Side.DEFENDERS, Reason.KING_ESCAPED
        if self.book.encirclement and to_move is Side.DEFENDERS and self.encircled(board, king):
            return Side.ATTACKERS, Reason.ENCIRCLED
        if self.book.exit_fort and to_move is Side.ATTACKERS and self.exit_fort(board, king):
            return Side.DEFENDERS, Reason.EXIT_FORT
        if self.book.repetition is Repetition.THREE_MOVES and len(past.moves[to_move.other]) >= 5:
            a, b, c, d, e = past.moves[to_move.other][-5:]
            if a == c == e and b == d == (a[1], a[0]):
                return to_move, Reason.THREE_MOVES
        costs = {Repetition.DRAWS: None, Repetition.LOSES: to_move, Repetition.WINS: to_move.other}
        if self.book.repetition in costs and past.count(board, to_move) >= self.book.repetition_count:
            return costs[self.book.repetition], Reason.REPETITION
        if not self.moves(board, to_move):
            draw = self.book.no_legal_move is NoLegalMove.DRAWS
            return None if draw else to_move.other, Reason.NO_LEGAL_MOVES
        return None

    def announced(self, board: Board, past: "Past", mover: Side) -> list[Announcement]:
        """Corner 7, edge 6, further 5."""
        said = []
        king = self.king(board)
        assert king is not None
        ways = len(self.slides(board, king) & self.goals)
        if ways:
            said.append(Announcement.RAICHI if ways == 1 else Announcement.TUICHI)
        if mover is Side.ATTACKERS and self.king_takers(board):
            said.append(Announcement.KING_IN_DANGER)
        if self.warned(board, past, mover):
            said.append(Announcement.REPETITION_WARNING)
        return said

    def warned(self, board: Board, past: "Past", mover: Side) -> bool:
        if self.book.repetition is Repetition.IGNORED:
            return False
        if self.book.repetition is not Repetition.THREE_MOVES:
            return 2 <= past.count(board, mover.other) == self.book.repetition_count - 1
        if len(past.moves[mover]) < 3:
            return False
        a, b, c = past.moves[mover][-3:]
        return a == c and b == (a[1], a[0])


class Past:
    """The moves of a game and the positions that they brought about."""

    def __init__(self) -> None:
        self.moves: dict[Side, list[tuple[Point, Point]]] = {side: [] for side in Side}
        self.positions: list[tuple[Board, Side]] = []

    def add(self, side: Side, move: tuple[Point, Point], after: Board) -> "Past":
        self.moves[side].append(move)
        self.positions.append((after, side.other))
        return self

    def count(self, board: Board, to_move: Side) -> int:
        return self.positions.count((board, to_move))
