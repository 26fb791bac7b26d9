"""Own the template of the page's catalogues: find what is to be translated, and keep the catalogues in step.

A tool for those who change the page: `python -m boardd.web.messages` writes the template and merges it into every
catalogue. Reads the page's files, writes under `boardd/locale`; the daemon does not use it.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import polib  # type: ignore[import-untyped]  # it ships no types

from boardd.web.catalogue import DOMAIN, LOCALE
from boardd.web.server import STATIC

TEMPLATE = LOCALE / f"{DOMAIN}.pot"
CONTENT_TYPE = {"MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "8bit"}

# A call of t or mark with one literal: anything else could not be found here, and a test forbids it.
CALL = re.compile(r"""\b(?:t|mark)\(\s*"((?:[^"\\\n]|\\.)*)"\s*[,)]""")


class _Fixed(HTMLParser):
    """Collects the texts of elements with `data-t` and the values of `data-t-label`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int]] = []
        self._wanted = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self._wanted = "data-t" in names
        label = names.get("data-t-label")
        if label is not None:
            self.found.append((label, self.getpos()[0]))

    def handle_data(self, data: str) -> None:
        if self._wanted and data.strip():
            self.found.append((data.strip(), self.getpos()[0]))
            self._wanted = False


def messages(static: Path = STATIC) -> dict[str, list[tuple[str, str]]]:
    """Find every message of the page, with the places (file, line) where it is used."""
    found: dict[str, list[tuple[str, str]]] = {}
    for file, message, line in _uses(static):
        found.setdefault(message, []).append((file, str(line)))
    return found


def template() -> polib.POFile:
    """Make the template."""
    pot = polib.POFile(wrapwidth=110)
    pot.metadata = {"Project-Id-Version": "konakis", **CONTENT_TYPE}
    for message, places in messages().items():
        files = list(dict.fromkeys((file, "") for file, _ in places))  # lines would change with every edit
        pot.append(polib.POEntry(msgid=message, occurrences=files))
    return pot


def main() -> None:
    """Write the template and merge it into all catalogues; what is no longer used is dropped."""
    pot = template()
    pot.save(str(TEMPLATE))
    for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"):
        catalogue = polib.pofile(str(path), wrapwidth=110)
        catalogue.merge(pot)
        for entry in catalogue.obsolete_entries():
            catalogue.remove(entry)
        catalogue.save(str(path))


def _uses(static: Path) -> Iterator[tuple[str, str, int]]:
    for path in sorted(static.glob("*.html"), reverse=True):
        page = _Fixed()
        page.feed(path.read_text(encoding="utf-8"))
        yield from ((path.name, message, line) for message, line in page.found)
    for path in sorted(static.glob("*.js")):
        text = path.read_text(encoding="utf-8")
        for match in CALL.finditer(text):
            yield path.name, _unescape(match.group(1)), text.count("\n", 0, match.start()) + 1


def _unescape(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal)


if __name__ == "__main__":
    main()
