"""Checks of what the Pi gives the board: groups, device nodes, overlays, audio, DMA, other programs at the port."""

from __future__ import annotations

from boardd.doctor.finding import Finding, fault, ok, unknown, warning
from boardd.doctor.situation import Situation
from boardd.settings_table import NO_PIN
from hardware.machine import MODULES
from hardware.neopixels import DMA_CHANNEL, HARMFUL_DMA

SERIAL_GROUP = "dialout"
"""Who may use serial ports, on any Debian; the other groups are a Raspberry Pi's own."""
NOT_WIRED = "the configured board is simulated"
NO_PI = "no Raspberry Pi"
CORE_FREQ = {3: ("core_freq", 250), 4: ("core_freq_min", 500)}
"""What keeps SPI's clock steady: the key of config.txt and its value, by generation of the Pi."""


def groups(it: Situation) -> Finding:
    """Tell whether the user may use what the board hangs on."""
    if not it.wired:
        return unknown("groups", NOT_WIRED)
    needed = _groups_needed(it) if it.machine.is_pi else _groups_needed(it) & {SERIAL_GROUP}
    if not needed:
        return unknown("groups", NO_PI, ", ".join(sorted(_groups_needed(it))))
    expected = ", ".join(sorted(needed))
    if it.uid == 0:
        return ok("groups", "root", expected)
    missing = needed - it.groups
    if missing:
        names = ",".join(sorted(missing))
        advice = f"sudo usermod -aG {names} $USER, then log in again (the service gets its groups from its unit)"
        return fault("groups", f"not in {', '.join(sorted(missing))}", expected, advice)
    return ok("groups", expected, expected)


def devices(it: Situation) -> Finding:
    """Tell whether the device nodes are there."""
    settings, there = it.settings, it.machine
    if not it.wired:
        return unknown("devices", NOT_WIRED)
    if settings.board.kind == "microcontroller":
        return _serial_devices(it)
    if not there.is_pi:
        return unknown("devices", NO_PI, ", ".join(_nodes_needed(it)))
    missing = _missing(it)
    return _missing_devices(missing) if missing else ok("devices", ", ".join(_nodes_needed(it)))


def overlays(it: Situation) -> Finding:
    """Tell whether config.txt switches SPI on and keeps its clock steady."""
    there, lights = it.machine, it.settings.lights
    uses_spi = it.settings.board.kind == "shift-registers" or (it.wired and lights.wire == "spi")
    if not uses_spi:
        return ok("overlays", "SPI is not used")
    if not there.is_pi:
        return unknown("overlays", NO_PI, "dtparam=spi=on")
    if there.config_path is None:
        return unknown("overlays", "no config.txt found", "dtparam=spi=on")
    file = f"/{there.config_path}"
    if there.boot_parameter("spi") not in ("on", "yes", "true", "1"):
        return fault("overlays", f"SPI is off in {file}", "dtparam=spi=on", f"add dtparam=spi=on to {file} and restart")
    wanted = CORE_FREQ.get(there.pi_generation or 0)
    if lights.wire == "spi" and wanted is not None:
        key, value = wanted
        found = there.boot_value(key)
        if found != str(value):
            expected = f"{key}={value}"
            advice = (
                f"add {expected} to {file} and restart: else the lights flash white when the core changes its clock"
            )
            return warning("overlays", f"{key}={found}" if found else f"no {key} in {file}", expected, advice)
    return ok("overlays", "SPI is on", "dtparam=spi=on")


def audio(it: Situation) -> Finding:
    """Tell whether analogue audio fights with PWM lights."""
    expected = "no analogue audio beside lights on PWM"
    if not it.wired or it.settings.lights.wire != "pwm":
        return ok("audio", "the lights do not use PWM", expected)
    there = it.machine
    if not there.is_pi:
        return unknown("audio", NO_PI, expected)
    if there.pi_generation == 5:
        return fault("audio", "a Raspberry Pi 5 has no such PWM", "pio or spi", "choose [lights] wire = 'pio' or 'spi'")
    if there.text(MODULES) is None:
        return unknown("audio", f"/{MODULES} cannot be read", expected)
    if there.analogue_audio:
        advice = (
            "put dtparam=audio=off into config.txt and restart, or wire the lights to SPI (GPIO10); until then they "
            "stay dark, since what the audio sends would light them at random and above the budget"
        )
        return fault("audio", "snd_bcm2835 is loaded", expected, advice)
    if it.uid != 0:
        return fault("audio", "not root", "root for lights on PWM", "use [lights] wire = 'spi', which needs no root")
    return ok("audio", "analogue audio is off", expected)


def dma(it: Situation) -> Finding:
    """Tell whether the DMA channel does harm."""
    channel = it.settings.lights.dma_channel
    expected = f"channel {DMA_CHANNEL}"
    if channel in HARMFUL_DMA:
        advice = f"set [lights] dma_channel = {DMA_CHANNEL}: {HARMFUL_DMA[channel]}"
        return fault("dma", f"channel {channel}", expected, advice)
    if not it.wired or it.settings.lights.wire != "pwm":
        return ok("dma", "the lights do not use DMA", expected)
    if channel != DMA_CHANNEL:
        advice = "others may be the kernel's: see /sys/kernel/debug/dmaengine; 10 is known to be free"
        return warning("dma", f"channel {channel}", expected, advice)
    return ok("dma", f"channel {channel}", expected)


def modem_manager(it: Situation) -> Finding:
    """Tell whether a modem manager will probe the board's port."""
    expected = "no ModemManager at the board's port"
    if it.settings.board.kind != "microcontroller":
        return ok("modem-manager", "no serial port is used", expected)
    running = it.command(["systemctl", "show", "--property=ActiveState", "--value", "ModemManager"])
    rules = ("etc/udev/rules.d", "lib/udev/rules.d", "usr/lib/udev/rules.d")
    told = any(
        "ID_MM_DEVICE_IGNORE" in (it.machine.text(f"{place}/{path.name}") or "")
        for place in rules
        if (it.machine.root / place).is_dir()
        for path in (it.machine.root / place).glob("*konakis*.rules")
    )
    if running is None:
        found = "a udev rule keeps it off" if told else "systemd does not tell whether it runs"
        return ok("modem-manager", found, expected) if told else unknown("modem-manager", found, expected)
    if running.strip() != "active":
        return ok("modem-manager", "it does not run", expected)
    if told:
        return ok("modem-manager", "it runs, and a udev rule keeps it off", expected)
    advice = "install our udev rule (scripts/install), or sudo apt remove modemmanager: its probes delay the start"
    return warning("modem-manager", "it runs and probes serial ports", expected, advice)


def _serial_devices(it: Situation) -> Finding:
    """Tell whether the Pico's port is there, and what else hangs on the computer's pins."""
    port = it.settings.microcontroller.port
    ports = serial_ports(it)
    expected = ", ".join([port or "a /dev/ttyACM", *_nodes_needed(it)])
    if port and not it.machine.exists(port.lstrip("/")):
        others = f"; there is {', '.join(ports)}" if ports else ""
        advice = "plug the Pico in, or put [microcontroller] port right; empty, it is searched for"
        return fault("devices", f"no {port}{others}", expected, advice)
    if not port and not ports:
        advice = "plug the Pico in; without MicroPython and our firmware it does not appear (konakis firmware)"
        return fault("devices", "no serial port", expected, advice)
    found = port or ", ".join(ports)
    if _nodes_needed(it) and not it.machine.is_pi:
        return unknown("devices", f"{found}; {NO_PI} for the rest", expected)
    missing = _missing(it)
    return _missing_devices(missing) if missing else ok("devices", found, expected)


def serial_ports(it: Situation) -> list[str]:
    """List the serial ports that boards appear as."""
    place = it.machine.root / "dev"
    return sorted(f"/dev/{path.name}" for path in place.glob("ttyACM*")) if place.is_dir() else []


def _groups_needed(it: Situation) -> set[str]:
    needed = {SERIAL_GROUP} if it.settings.board.kind == "microcontroller" else set()
    if _uses_pins(it):
        needed.add("gpio")
    if it.settings.board.kind == "shift-registers" or it.settings.lights.wire == "spi":
        needed.add("spi")
    return needed


def _nodes_needed(it: Situation) -> list[str]:
    settings = it.settings
    nodes = ["/dev/gpiochip0"] if _uses_pins(it) else []
    if settings.board.kind == "shift-registers" or settings.lights.wire == "spi":
        nodes.append("/dev/spidev0.0")
    if settings.lights.wire == "pio":
        nodes.append("/dev/pio0")
    return nodes


def _uses_pins(it: Situation) -> bool:
    """Tell whether anything but SPI hangs on the computer's own pins."""
    settings = it.settings
    buttons = [*settings.buttons.model_dump().values(), settings.buzzer.pin]
    if settings.board.kind != "microcontroller" or settings.lights.wire in ("pwm", "pio"):
        return True
    return any(pin != NO_PIN for pin in buttons)


def _missing(it: Situation) -> list[str]:
    return [node for node in _nodes_needed(it) if not it.machine.exists(node.lstrip("/"))]


def _missing_devices(missing: list[str]) -> Finding:
    advice = {
        "/dev/spidev0.0": "switch SPI on: dtparam=spi=on in config.txt",
        "/dev/pio0": "update the kernel of the Pi 5 (rpi-update or apt full-upgrade)",
        "/dev/gpiochip0": "use a kernel with GPIO character devices (Raspberry Pi OS bookworm or newer)",
    }
    return fault("devices", f"no {', '.join(missing)}", ", ".join(missing), "; ".join(advice[node] for node in missing))
