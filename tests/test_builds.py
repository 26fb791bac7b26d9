"""How the engine is built and which form of it runs. scripts/check-builds does the building; here is the rest."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from boardd import version
from engine import forms

ROOT = Path(__file__).resolve().parent.parent


def compiled_modules() -> tuple[str, ...]:
    """Read the list out of setup.py without running it."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMPILED":
            names = eval(compile(ast.Expression(node.value), "setup.py", "eval"))
            assert isinstance(names, tuple)
            return names
    raise AssertionError("setup.py names no modules")


def test_every_compiled_module_exists() -> None:
    for name in compiled_modules():
        assert (ROOT / "engine" / f"{name}.py").is_file()


def test_every_module_on_machine_integers_is_compiled() -> None:
    for path in (ROOT / "engine").glob("*.py"):
        uses = "from engine.native import" in path.read_text(encoding="utf-8")
        assert not uses or path.stem in compiled_modules(), f"{path.name} is written for the compiler but left out"


def test_no_compiled_module_lies_in_the_repository() -> None:
    assert not list((ROOT / "engine").glob("*.so"))


def test_the_pins_are_the_same_everywhere() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert text.count("librt==0.17.0; platform_machine == 'x86_64' or platform_machine == 'aarch64'") == 2
    assert text.count("mypy==2.4.1") == 2


def test_daemon_and_engine_agree_on_the_form() -> None:
    assert version.PURE_VARIABLE == forms.PURE_VARIABLE
    assert version.engine_form() == forms.form()


def test_a_source_is_found_beside_a_compiled_module(tmp_path: Path) -> None:
    (tmp_path / "position.py").write_text("")
    suffix = next(s for s in __import__("importlib.machinery").machinery.EXTENSION_SUFFIXES if s.startswith("."))
    (tmp_path / f"position{suffix}").write_bytes(b"not a library")
    spec = forms.SourceFinder.find_spec("engine.position", [str(tmp_path)])
    assert spec is not None
    assert spec.origin == str(tmp_path / "position.py")
    assert forms.SourceFinder.find_spec("json", [str(tmp_path)]) is None
    assert forms.SourceFinder.find_spec("engine.nowhere", [str(tmp_path)]) is None


@pytest.mark.parametrize("asked", ["1", "0"])
def test_the_environment_forces_the_pure_form(asked: str) -> None:
    code = "import sys, engine; from engine.forms import SourceFinder; print(SourceFinder in sys.meta_path)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, forms.PURE_VARIABLE: asked},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(asked == "1")
