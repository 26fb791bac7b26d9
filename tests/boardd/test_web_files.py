"""The page's files: whole, small, and nothing from outside."""

import re
from pathlib import Path

import pytest

from boardd.web.rhythms import rhythms_css
from boardd.web.server import STATIC
from hardware.theme import Rhythm
from hardware.theme_file import load_rhythms

FILES = sorted(path for path in STATIC.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg"))
NAMESPACE = "http://www.w3.org/2000/svg"
MODULE_MAX_LINES = 400
FRAME = re.compile(r"([\d.]+)% \{ opacity: calc\(var\(--glow, 1\) \* ([\d.]+)\); \}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STATIC)))
def test_nothing_comes_from_outside_or_is_inline(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace(NAMESPACE, "")
    assert "//" not in re.sub(r"^\s*//.*$|\s//\s.*$|/\*.*?\*/", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\bon\w+=\"|javascript:|<style|style=\"|@import|innerHTML|eval\(", text) == []


def test_every_file_that_is_named_exists() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        named = re.findall(r'from "\./([\w.]+)"', text) + re.findall(r'(?:src|href)="static/([\w./]+)"', text)
        named += re.findall(r'url\("([\w./]+)"\)', text)
        for name in named:
            assert (STATIC / name).is_file(), (path.name, name)


def test_every_file_is_used() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in FILES if path.suffix != ".svg")
    for path in FILES:
        used = path.name in texts or f'image: "{path.stem}"' in texts
        assert used or path.suffix == ".html", path.name  # the server opens with one of these


def test_scripts_are_small_and_open_with_what_they_own() -> None:
    for path in STATIC.glob("*.js"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= MODULE_MAX_LINES, path.name
        assert re.match(r"// (Own|Put) ", lines[0]), path.name


def keyframes(rhythm: Rhythm) -> str:
    """Give the page's animation of a rhythm; empty if it has none."""
    css = rhythms_css(load_rhythms())
    found = re.findall(rf"^@keyframes rhythm-{rhythm.name} {{ (.*) }}$", css, re.MULTILINE)
    bound = re.findall(rf'^\[data-rhythm="{rhythm.name}"\] .* {rhythm.period_ms}ms .*infinite', css, re.MULTILINE)
    assert len(found) == len(bound) <= 1
    return "".join(found)


@pytest.mark.parametrize("rhythm", load_rhythms().values(), ids=lambda rhythm: rhythm.name)
def test_each_rhythm_of_the_theme_beats_on_the_page(rhythm: Rhythm) -> None:
    animation = keyframes(rhythm)
    assert (animation == "") == rhythm.steady
    if rhythm.steady:
        return
    frames = [(float(share), float(level)) for share, level in FRAME.findall(animation)]
    assert frames[0][0] == 0
    assert frames[-1][0] == 100
    assert frames[-1][1] == rhythm.steps[0].level
    for ms in range(rhythm.period_ms):
        share = 100 * ms / rhythm.period_ms
        at = max(index for index, frame in enumerate(frames) if frame[0] <= share + 1e-4)
        level = frames[at][1]
        if rhythm.ramp and at + 1 < len(frames):
            (start, level), (end, following) = frames[at], frames[at + 1]
            level += (following - level) * (share - start) / (end - start)
        assert level == pytest.approx(rhythm.level(ms / 1000), abs=0.02), ms


def test_each_rhythm_has_a_border_of_its_kind_where_nothing_may_move() -> None:
    css = (STATIC / "lights.css").read_text(encoding="utf-8")
    still = css[css.index("prefers-reduced-motion: reduce") :]
    for rhythm in load_rhythms().values():
        told = f'"{rhythm.name}"' in still or rhythm.name.endswith("blink")
        assert told != rhythm.steady, rhythm.name
