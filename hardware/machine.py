"""What the computer is like that the board hangs on: its model, its boot configuration, its devices.

Reads files below /proc, /sys, /boot and /etc, never writes. All paths are below a root that a test may replace.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from hardware.files import may_be_there

MODEL = "proc/device-tree/model"
MODULES = "proc/modules"
CONFIGS = ("boot/firmware/config.txt", "boot/config.txt")
"""Where Raspberry Pi OS has it since bookworm, and before."""
AUDIO_MODULE = "snd_bcm2835"
"""The driver of the analogue output of a Pi 4 and older."""


class Machine:
    """One computer.

    Args:
        root: where its file system begins.

    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str | None:
        """Return a file's text without the zero at its end; None if it cannot be read."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").rstrip("\0\n")
        except OSError:
            return None

    @cached_property
    def model(self) -> str | None:
        """What the computer calls itself, as `Raspberry Pi 4 Model B Rev 1.5`; None if it does not say."""
        return self.text(MODEL)

    @property
    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi."""
        return self.model is not None and "Raspberry Pi" in self.model

    @property
    def pi_generation(self) -> int | None:
        """Return 1 to 5; a Zero counts as the Pi whose chip it has; None off a Pi."""
        if self.model is None or not self.is_pi:
            return None
        if "Zero 2" in self.model:
            return 3
        if "Compute Module" in self.model:
            found = re.search(r"Compute Module (\d)", self.model)
        else:
            found = re.search(r"Raspberry Pi (\d)", self.model)
        return int(found.group(1)) if found else 1

    @cached_property
    def modules(self) -> frozenset[str]:
        """The kernel's loaded modules."""
        return frozenset(line.split()[0] for line in (self.text(MODULES) or "").splitlines() if line.strip())

    @property
    def analogue_audio(self) -> bool:
        """Whether the driver that shares PWM and DMA with lights is loaded."""
        return AUDIO_MODULE in self.modules

    @cached_property
    def config_path(self) -> str | None:
        """The boot configuration's path below the root; None if there is none."""
        return next((path for path in CONFIGS if self.text(path) is not None), None)

    @cached_property
    def boot_config(self) -> tuple[tuple[str, str], ...]:
        """The keys and values of config.txt that apply to this Pi, in order; its filters are obeyed as far as we know.

        Sections for other models are left out; `[all]` and `[none]` are obeyed.
        """
        found: list[tuple[str, str]] = []
        applies = True
        for raw in (self.text(self.config_path) or "").splitlines() if self.config_path else ():
            line = raw.split("#", 1)[0].strip()
            if line.startswith("[") and line.endswith("]"):
                applies = self._applies(line[1:-1].strip().lower())
            elif applies and "=" in line:
                key, _, value = line.partition("=")
                found.append((key.strip(), value.strip()))
        return tuple(found)

    def boot_value(self, key: str) -> str | None:
        """Return the last value of a key of config.txt."""
        return next((value for name, value in reversed(self.boot_config) if name == key), None)

    def boot_parameter(self, name: str) -> str | None:
        """Return the value of a `dtparam`, which may stand with others on one line: `dtparam=spi=on,audio=off`."""
        for key, value in reversed(self.boot_config):
            if key == "dtparam":
                for part in value.split(","):
                    parameter, _, setting = part.partition("=")
                    if parameter.strip() == name:
                        return setting.strip() or "on"
        return None

    def exists(self, path: str) -> bool:
        """Return whether a file or device is there."""
        return may_be_there(self.root / path)

    def _applies(self, section: str) -> bool:
        if section.startswith("pi"):
            generation = self.pi_generation
            return generation is not None and section[2:3] == str(generation)
        return section != "none"
