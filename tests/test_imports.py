"""Every module of every package can be imported on any computer, and importing opens no device, port or process."""

import subprocess
import sys

IMPORT_ALL = """
import importlib, pkgutil, sys

HARMLESS = ("/dev/null", "/dev/urandom")
ON_A_PI = {"board", "neopixel", "neopixel_spi", "lgpio", "RPi", "rpi_ws281x", "spidev", "busio", "digitalio"}
touched = []

def watch(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/dev/") and arguments[0] not in HARMLESS:
        touched.append(f"opens {arguments[0]}")
    elif event in ("socket.bind", "socket.connect", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        touched.append(f"{event} {arguments[1:2]}")

sys.addaudithook(watch)
names = []
for package in ("engine", "hardware", "firmware_bridge", "boardd"):
    path = importlib.import_module(package).__path__
    names += [found.name for found in pkgutil.walk_packages(path, f"{package}.")]
for name in names:
    if not name.startswith("firmware_bridge.firmware.") and not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
sys.exit("; ".join(touched + sorted(f"imports {name}" for name in ON_A_PI & set(sys.modules))) or 0)
"""


def test_every_module_is_imported_off_a_pi_and_opens_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 150
