"""Which of its two forms the engine runs in: compiled, or as the source stands.

A compiled module lies beside its source and wins over it. Forcing the pure form therefore takes a finder that knows
only sources, in place before the first of those modules is imported. Knows nothing of the game.
"""

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

PURE_VARIABLE = "KONAKIS_PURE"
"""1 in the environment forces the pure form."""

PACKAGE = "engine."
"""Where the modules with two forms lie."""

COMPILED = "compiled"
PURE = "pure"


class SourceFinder:
    """Finds the modules of the engine by their sources alone."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the engine; leave all others to the finders behind."""
        if not name.startswith(PACKAGE):
            return None
        sources = (importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES)
        for place in path or ():
            spec = importlib.machinery.FileFinder(place, sources).find_spec(name)
            if spec is not None:
                return spec
        return None


def obey_environment() -> None:
    """Force the pure form where the environment asks for it; to be called before the fast modules are imported."""
    if os.environ.get(PURE_VARIABLE) == "1" and SourceFinder not in sys.meta_path:
        sys.meta_path.insert(0, SourceFinder)


def form() -> str:
    """Tell which form runs: COMPILED or PURE."""
    spec = importlib.util.find_spec("engine.position")
    origin = spec.origin if spec else None
    return PURE if origin is None or origin.endswith(tuple(importlib.machinery.SOURCE_SUFFIXES)) else COMPILED
