"""The state machine as text for documents: a diagram and a table, drawn from `boardd.states` and nothing else.

Owns the drawing. `python -m boardd.diagram docs/tracking.md` brings a document up to date; a test holds it to that.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from boardd.meanings import Kind
from boardd.states import HOLDS, TABLE, Phase, State, Step

DIAGRAM, TABLES = "diagram", "tables"
"""The names of the parts that a document may hold, between comments `<!-- drawn: NAME -->` and `<!-- end -->`."""


def diagram() -> str:
    """Draw the states of play, an arrow for each reading that leads to one, as Mermaid text."""
    lines = ["```mermaid", "stateDiagram-v2"]
    for phase, name in ((Phase.PLAY, "play"), (Phase.RESUME, "resume"), (Phase.OVER, "over")):
        lines.append(f"    state {name} {{")
        for state in _states(phase):
            kinds = ", ".join(kind.name.lower() for kind in Kind if TABLE[phase][kind][0] is state)
            lines.append(f"        {_inside(name, state)} : {state.value}<br/>{kinds}")
        lines.append("    }")
    lines += [
        "    [*] --> resume : start, restart",
        "    resume --> play : agrees once",
        "    play --> resume : takeback or new game by command, several pieces astray",
        "    play --> over : a move that ends the game, resignation, draw",
        "    over --> play : amendment, takeback, start position",
    ]
    return "\n".join([*lines, "```"])


def tables() -> str:
    """Write the table as Markdown: a row a reading, a column a phase; each cell is the state and the step after it."""
    phases = list(Phase)
    head = ["reading", "meaning", *(phase.value for phase in phases)]
    rows = [head, ["---"] * len(head)]
    for kind in Kind:
        cells = [_cell(*TABLE[phase][kind]) for phase in phases]
        rows.append([f"`{kind.name.lower()}`", kind.value, *cells])
    steps = [["step", "taken when the reading has held"], ["---", "---"]]
    steps += [[step.value, "at once" if HOLDS[step] is None else f"`{HOLDS[step]}`"] for step in Step]
    return "\n".join(_row(row) for row in rows) + "\n\n" + "\n".join(_row(row) for row in steps)


def redrawn(document: str) -> str:
    """Give a document with its drawn parts as the tables are now."""
    for name, draw in ((DIAGRAM, diagram), (TABLES, tables)):
        pattern = re.compile(rf"(<!-- drawn: {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        document = pattern.sub(lambda match, draw=draw: match[1] + draw() + match[2], document)  # type: ignore[misc]
    return document


def _states(phase: Phase) -> list[State]:
    found = {TABLE[phase][kind][0] for kind in Kind}
    return [state for state in State if state in found]


def _inside(phase: str, state: State) -> str:
    return f"{phase}_{state.value}"


def _cell(state: State, step: Step | None) -> str:
    return state.value if step is None else f"{state.value}: {step.value}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(documents: list[str]) -> int:
    """Bring documents up to date; give the exit status."""
    if not documents:
        print("diagram: found no file, expected documents to draw in", file=sys.stderr)
        return 2
    for document in documents:
        path = Path(document)
        try:
            path.write_text(redrawn(path.read_text(encoding="utf-8")), encoding="utf-8")
        except OSError as error:
            print(f"diagram: {path}: {error.strerror}", file=sys.stderr)
            return 2
        except UnicodeDecodeError as error:
            print(f"diagram: {path}: byte {error.start}: expected UTF-8 text", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
