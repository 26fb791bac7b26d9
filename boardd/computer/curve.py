"""A game's values as a curve: a picture in SVG, written here. Pure.

Owns the picture and nothing of what it shows. Above the middle the attackers are ahead, below it the defenders.
"""

from __future__ import annotations

from html import escape

from boardd.computer.analysis import Analysis, Judged, Mark, chance
from boardd.events import bare_move_text

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 96, 16, 34, 40
"""Room around the curve, for words."""

MOST_TICKS = 20
"""So many numbers fit below the curve."""

COLOURS = {Mark.LOST: "#b3261e", Mark.MISSED_WIN: "#c77700", Mark.MISTAKE: "#8a6d1f"}
WORDS = {Mark.LOST: "loses", Mark.MISSED_WIN: "misses a win", Mark.MISTAKE: "a mistake"}

BEGIN = '<svg xmlns="http://www.w3.org/2000/svg" data-drawn-by="konakis analyze" viewBox="'
"""How every picture begins, so that one can be told from anything else that a file may hold."""

STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}"
    ".grid{stroke:#999;stroke-width:1}.light{stroke:#ddd}"
    ".curve{fill:none;stroke:#1d3d5c;stroke-width:2;stroke-linejoin:round}"
    ".ahead{fill:#1d3d5c22}"
)


def curve(analysis: Analysis, title: str) -> str:
    """Draw a game.

    Args:
        analysis: the game.
        title: stands above the curve.

    Returns:
        The text of an SVG file.

    """
    plies = len(analysis.judged)
    points = [(_x(number, plies), _y(chance(value))) for number, value in enumerate(analysis.values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    middle = _y(0.5)
    area = f"{points[0][0]:.1f},{middle:.1f} {path} {points[-1][0]:.1f},{middle:.1f}"
    parts = [
        f'{BEGIN}0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, 20, title),
        _line("light", _y(1.0)),
        _line("light", _y(0.0)),
        _line("grid", middle),
        _text(LEFT - 8, _y(1.0) + 12, "attackers", "end"),
        _text(LEFT - 8, middle + 4, "even", "end"),
        _text(LEFT - 8, _y(0.0) - 2, "defenders", "end"),
        *(_text(_x(ply, plies), HEIGHT - 16, str(ply), "middle") for ply in _ticks(plies)),
        f'<polygon class="ahead" points="{area}"/>',
        f'<polyline class="curve" points="{path}"/>',
        *(_dot(one, points[one.ply.number], analysis) for one in analysis.judged if one.mark is not None),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(ply: int, plies: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (ply / plies if plies else 0.0)


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _ticks(plies: int) -> range:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1 << 30) if plies / step <= MOST_TICKS)
    return range(0, plies + 1, step)


def _line(kind: str, y: float) -> str:
    return f'<line class="grid {kind}" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _dot(one: Judged, place: tuple[float, float], analysis: Analysis) -> str:
    assert one.mark is not None
    move = bare_move_text(one.ply.move, analysis.size)
    better = f"; better {bare_move_text(one.best[0], analysis.size)}" if one.best else ""
    told = f"{one.ply.number}. {one.ply.side.value} {move}: {WORDS[one.mark]}{better}"
    x, y = place
    large = analysis.lost_by is one
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{7 if large else 5}" fill="{COLOURS[one.mark]}">'
        f"<title>{escape(told)}</title></circle>"
    )
