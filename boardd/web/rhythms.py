"""Own how the theme's rhythms become the page's animations; know no role and no square.

The page beats as the board does because both read the same table. Where a browser asks for less motion nothing here
applies, and the signs and borders in `lights.css` tell roles apart.
"""

from collections.abc import Mapping

from hardware.theme import Rhythm

_HEAD = "/* Made from the table of rhythms that the board's own lights follow. */\n"


def rhythms_css(rhythms: Mapping[str, Rhythm]) -> str:
    """Write one animation a rhythm, for elements with `data-rhythm` and their full opacity in `--glow`."""
    body = "".join(_rule(name, rhythm) for name, rhythm in rhythms.items() if not rhythm.steady)
    return f"{_HEAD}@media (prefers-reduced-motion: no-preference) {{\n{body}}}\n"


def _rule(name: str, rhythm: Rhythm) -> str:
    """Write one rhythm: steps that jump hold their value to the next, ramps run evenly, and the end is the start."""
    frames, elapsed_ms = [], 0
    for step in rhythm.steps:
        frames.append(_frame(elapsed_ms / rhythm.period_ms, step.level))
        elapsed_ms += step.ms
    frames.append(_frame(1.0, rhythm.steps[0].level))
    timing = "linear" if rhythm.ramp else "step-end"
    return (
        f"@keyframes rhythm-{name} {{ {' '.join(frames)} }}\n"
        f'[data-rhythm="{name}"] {{ animation: rhythm-{name} {rhythm.period_ms}ms {timing} infinite; }}\n'
    )


def _frame(share: float, level: float) -> str:
    return f"{100 * share:.7g}% {{ opacity: calc(var(--glow, 1) * {level:g}); }}"
