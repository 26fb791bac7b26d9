"""Compiles the engine's fast modules where that is possible, and otherwise installs the same files as they are.

All else about the package stands in pyproject.toml. The rules of this file:

- `pip install .` and wheels compile. An editable install does not, since a compiled module wins over its source and
  edits would silently do nothing; COMPILE_VARIABLE=1 asks for it all the same.
- Nothing that goes wrong here may stop an installation: no compiler, no headers, no mypyc for this machine.
- All or nothing: a half compiled engine would not import.

"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

COMPILE_VARIABLE = "KONAKIS_COMPILE"
"""1 compiles even an editable install, 0 compiles nothing; without it, see above."""

COMPILED = (
    *("tables", "formations", "repetition", "position", "placing", "king", "perft"),
    *("evaluation", "ideas", "worths", "ordering", "table", "walk", "alphabeta"),
)
"""The modules of `engine` that are written for both forms."""

GROUP = "konakis_engine"
"""Names the shared library in which the compiled modules live together."""

FLAGS = ("-O3", "-fno-semantic-interposition", "-w")
"""Calls within the library need not go through its symbol table: 12% faster. What a generator wrote is not for us to
mend, so no warnings."""

BUILDING = {"bdist_wheel", "build", "build_ext", "install"}
"""Commands that make something to be run."""


def wanted() -> bool:
    """Tell whether this run is to compile."""
    asked = os.environ.get(COMPILE_VARIABLE)
    if asked == "0":
        return False
    if "editable_wheel" in sys.argv or "develop" in sys.argv:
        return asked == "1"
    return not BUILDING.isdisjoint(sys.argv)


def note(why: object) -> None:
    """Say plainly which form is being installed; pip shows it with -v."""
    reason = " ".join(str(why).split()) or type(why).__name__
    print(f"konakis: the engine is installed in its pure form, which is slower ({reason})", file=sys.stderr)


def extensions() -> list[Extension]:
    """Translate the modules to C, or give none and say why."""
    paths = [str(Path("engine", f"{name}.py")) for name in COMPILED]
    try:
        from mypyc.build import mypycify

        return list(mypycify(["--config-file=", "--strict", *paths], group_name=GROUP, opt_level="3"))
    except (Exception, SystemExit) as error:  # mypyc leaves by SystemExit when it does not like the source
        note(error)
        return []


class BuildAll(build_ext):
    """Builds every extension or none."""

    def run(self) -> None:
        """Build them."""
        try:
            for extension in self.extensions:
                extension.extra_compile_args = [*(extension.extra_compile_args or []), *FLAGS]
            super().run()
        except (Exception, SystemExit) as error:
            note(error)
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []


setup(ext_modules=extensions() if wanted() else [], cmdclass={"build_ext": BuildAll})
