"""The text of what systemd, udev and the installer are given: their own tools judge it, and their warnings count."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardd.settings import load
from firmware_bridge.ports import MICROPYTHON_PICO

ROOT = Path(__file__).resolve().parent.parent
SYSTEMD = ROOT / "systemd"
UNIT, RULES = SYSTEMD / "konakis.service", SYSTEMD / "70-konakis.rules"
DROP_INS = ("pins.conf", "lan.conf")
EXPOSURE = 2.0
NOT_HERE = re.compile(r"^\S+: Command /opt/konakis/venv/bin/konakis is not executable: No such file or directory$")
"""What is not installed where tests run."""

# man 7 udev, as far as these rules need it.
MATCHES = {"ACTION", "SUBSYSTEM", "KERNEL"}
KEYED_MATCHES = {"ENV", "ATTR", "ATTRS"}
ASSIGNMENTS = {"GROUP", "MODE", "SYMLINK", "TAG", "LABEL", "GOTO"}
KEYED_ASSIGNMENTS = {"ENV"}
TERM = re.compile(r'(?P<key>[A-Z]+)(\{(?P<of>[A-Za-z_]+)\})?(?P<operator>==|!=|\+=|=)"(?P<value>[^"]*)"')

Tool = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tool() -> Tool:
    """Run one of systemd's tools; without it skip, and in CI fail."""

    def run(name: str, *arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        if shutil.which(name) is None:
            message = f"no {name}: install the package systemd"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        return subprocess.run(
            [name, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The unit with both drop-ins, where only they are."""
    beside = tmp_path / "konakis.service.d"
    beside.mkdir()
    shutil.copy(UNIT, tmp_path)
    for name in DROP_INS:
        shutil.copy(SYSTEMD / name, beside)
    return tmp_path


def complaints(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """Everything that a tool said, but that the program is not installed here."""
    said = (done.stdout + done.stderr).splitlines()
    return [line for line in said if not NOT_HERE.match(line)]


def exposure(done: "subprocess.CompletedProcess[str]") -> float:
    found = re.search(r"Overall exposure level for konakis\.service: ([\d.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    return float(found.group(1))


# The unit.


def test_verify_has_nothing_to_say(tool: Tool) -> None:
    assert complaints(tool("systemd-analyze", "verify", UNIT)) == []


def test_verify_has_nothing_to_say_of_the_drop_ins(tool: Tool, whole: Path) -> None:
    done = tool("systemd-analyze", "verify", "konakis.service", SYSTEMD_UNIT_PATH=f"{whole}:")
    assert complaints(done) == []


@pytest.mark.parametrize("where", ["konakis.service", "konakis.service.d/lan.conf"])
def test_a_key_that_does_not_exist_would_be_noticed(tool: Tool, whole: Path, where: str) -> None:
    """systemd-analyze takes it for a warning and gives status 0."""
    with (whole / where).open("a") as file:
        file.write("\n[Service]\nWatchdogSecs=10\n")
    done = tool("systemd-analyze", "verify", "konakis.service", SYSTEMD_UNIT_PATH=f"{whole}:")
    assert any("WatchdogSecs" in line for line in complaints(done))


def test_the_exposure_is_low_with_the_page_on_loopback(tool: Tool) -> None:
    done = tool("systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE * 10:g}", UNIT)
    assert done.returncode == 0, done.stderr
    assert exposure(done) <= EXPOSURE


def test_the_exposure_is_low_with_everything_the_configuration_can_need(tool: Tool, whole: Path) -> None:
    done = tool(
        "systemd-analyze", "security", "--offline=yes", "--no-pager", "konakis.service", SYSTEMD_UNIT_PATH=f"{whole}:"
    )
    assert exposure(done) <= EXPOSURE


def unit(path: Path) -> dict[str, list[str]]:
    """Give the values of each key, in order."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def test_the_unit_says_what_the_documents_promise() -> None:
    keys = unit(UNIT)
    assert keys["Type"] == ["notify"]
    assert keys["Restart"] == ["on-failure"]
    assert keys["RestartPreventExitStatus"] == ["2"]
    assert keys["DevicePolicy"] == ["closed"]
    assert keys["DeviceAllow"] == ["char-166 rw"]  # ttyACM, devices.txt
    assert keys["IPAddressDeny"] == ["any"]
    assert keys["IPAddressAllow"] == ["localhost"]
    assert float(keys["WatchdogSec"][0]) + float(keys["TimeoutAbortSec"][0]) <= 15
    assert keys["User"] == ["konakis"]


def test_the_document_names_the_exposure_that_is_found(tool: Tool) -> None:
    if not tool("systemd-analyze", "--version").stdout.startswith("systemd 252"):
        pytest.skip("the document speaks of systemd 252; others count otherwise")
    found = exposure(tool("systemd-analyze", "security", "--offline=yes", "--no-pager", UNIT))
    assert f"an exposure of {found:.1f} (systemd 252)" in (ROOT / "docs" / "service.md").read_text()


# The user and the directories.


def test_the_user_is_made_with_its_groups(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    done = tool("systemd-sysusers", "--dry-run", f"--root={tmp_path}", SYSTEMD / "konakis.sysusers")
    assert done.returncode == 0, done.stderr
    for made in ("Creating group 'gpio'", "Creating group 'spi'", "Creating user 'konakis'"):
        assert made in done.stderr + done.stdout
    broken = tmp_path / "broken.conf"
    broken.write_text("u konakis - Konakis /var/lib/konakis extra words\n")
    assert tool("systemd-sysusers", "--dry-run", f"--root={tmp_path}", broken).returncode != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give directories away")
def test_the_directories_are_made(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "passwd").write_text("konakis:x:4711:4711::/var/lib/konakis:/usr/sbin/nologin\n")
    (tmp_path / "etc" / "group").write_text("konakis:x:4711:\n")
    done = tool("systemd-tmpfiles", "--create", f"--root={tmp_path}", SYSTEMD / "konakis.tmpfiles")
    assert (done.returncode, done.stderr) == (0, "")
    state, configuration = (tmp_path / place for place in ("var/lib/konakis", "etc/konakis"))
    assert (state.stat().st_uid, state.stat().st_mode & 0o777) == (4711, 0o700)
    assert (configuration.stat().st_uid, configuration.stat().st_mode & 0o777) == (0, 0o755)


# The rules. udev 252 has no verify, and its test gives status 0 whatever it finds.


def rules(text: str) -> list[list[re.Match[str]]]:
    """Read rules strictly: terms that udev knows, between commas, and nothing else."""
    found = []
    for line in text.replace("\\\n", "").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        terms = []
        for term in line.split(","):
            match = TERM.fullmatch(term.strip())
            assert match, f"no term of udev's: {term!r}"
            key, of, operator = match["key"], match["of"], match["operator"]
            if operator in ("==", "!="):
                assert key in (KEYED_MATCHES if of else MATCHES), term
            else:
                assert key in (KEYED_ASSIGNMENTS if of else ASSIGNMENTS), term
                assert operator == "=" or key in ("SYMLINK", "ENV", "TAG"), term
            terms.append(match)
        found.append(terms)
    return found


def test_the_rules_are_ones_that_udev_knows_and_jumps_have_their_labels() -> None:
    terms = [term for rule in rules(RULES.read_text()) for term in rule]
    labels = [term["value"] for term in terms if term["key"] == "LABEL"]
    assert len(labels) == len(set(labels))
    assert {term["value"] for term in terms if term["key"] == "GOTO"} == set(labels)


def test_rules_that_udev_would_only_complain_of_are_noticed() -> None:
    for wrong in (
        'SUBSYSTEN=="tty"',
        'SUBSYSTEM=="tty" GROUP="konakis"',
        'GROUP+="konakis"',
        'ENV=="1"',
        "TAG+=systemd",
    ):
        with pytest.raises(AssertionError):
            rules(wrong)


def outcome(device: dict[str, str]) -> dict[str, str]:
    """Tell what the rules make of a device, as udev would; the device's keys are written as in rules."""
    given: dict[str, str] = {}
    skip_to = ""
    for rule in rules(RULES.read_text()):
        label = next((term["value"] for term in rule if term["key"] == "LABEL"), "")
        if skip_to and label != skip_to:
            continue
        skip_to = ""
        if not all(_holds(term, device | given) for term in rule):
            continue
        for term in rule:
            if term["operator"] not in ("==", "!="):
                name = f"ENV{{{term['of']}}}" if term["of"] else term["key"]
                given[name] = f"{given.get(name, '')} {term['value']}".strip() if "+" in term[0] else term["value"]
        skip_to = given.pop("GOTO", "")
        given.pop("LABEL", None)
    return given


def _holds(term: "re.Match[str]", device: dict[str, str]) -> bool:
    if term["operator"] not in ("==", "!="):
        return True
    name = f"{term['key']}{{{term['of']}}}" if term["of"] else term["key"]
    pattern = re.escape(term["value"]).replace(r"\*", ".*").replace(r"\[0\-9\]", "[0-9]")
    return bool(re.fullmatch(pattern, device.get(name, ""))) is (term["operator"] == "==")


VENDOR, PRODUCT = (f"{number:04x}" for number in MICROPYTHON_PICO)
PORT = {
    "ACTION": "add",
    "SUBSYSTEM": "tty",
    "KERNEL": "ttyACM3",
    "ATTRS{idVendor}": VENDOR,
    "ATTRS{idProduct}": PRODUCT,
}


@pytest.mark.parametrize("action", ["add", "change", "bind"])
def test_the_boards_port_has_a_stable_name_starts_the_service_and_is_no_modem(action: str) -> None:
    assert outcome(PORT | {"ACTION": action}) == {
        "ENV{ID_MM_DEVICE_IGNORE}": "1",
        "ENV{ID_MM_PORT_IGNORE}": "1",
        "GROUP": "konakis",
        "MODE": "0660",
        "SYMLINK": "konakis",
        "TAG": "systemd",
        "ENV{SYSTEMD_WANTS}": "konakis.service",
    }


def test_the_boards_usb_device_is_no_modem_either() -> None:
    device = {"ACTION": "add", "SUBSYSTEM": "usb", "ENV{DEVTYPE}": "usb_device"}
    ours = device | {"ATTR{idVendor}": VENDOR, "ATTR{idProduct}": PRODUCT}
    assert outcome(ours) == {"ENV{ID_MM_DEVICE_IGNORE}": "1"}


@pytest.mark.parametrize(
    "device",
    [
        PORT | {"ACTION": "remove"},
        PORT | {"ATTRS{idProduct}": "0003"},  # the boot loader
        PORT | {"ATTRS{idVendor}": "12d1"},  # a modem
        {"ACTION": "add", "SUBSYSTEM": "tty", "KERNEL": "tty1"},
        {"ACTION": "add", "SUBSYSTEM": "usb", "ENV{DEVTYPE}": "usb_device", "ATTR{idVendor}": "12d1"},
        {"ACTION": "add", "SUBSYSTEM": "block", "KERNEL": "sda"},
    ],
)
def test_other_devices_are_left_alone(device: dict[str, str]) -> None:
    assert outcome(device) == {}


@pytest.mark.parametrize(
    ("device", "group"),
    [
        ({"SUBSYSTEM": "gpio", "KERNEL": "gpiochip0"}, "gpio"),
        ({"SUBSYSTEM": "spidev", "KERNEL": "spidev0.0"}, "spi"),
        ({"SUBSYSTEM": "rp1-pio", "KERNEL": "pio0"}, "gpio"),
    ],
)
def test_the_pins_of_a_pi_belong_to_their_groups(device: dict[str, str], group: str) -> None:
    assert outcome({"ACTION": "add"} | device) == {"GROUP": group, "MODE": "0660"}
    assert group in unit(SYSTEMD / "pins.conf")["SupplementaryGroups"][0].split()
    assert re.search(rf"^g {group} ", (SYSTEMD / "konakis.sysusers").read_text(), re.MULTILINE)


# The installer and the rest.


def test_the_configuration_that_is_installed_is_the_delivered_one() -> None:
    assert load(SYSTEMD / "konakis.toml") == type(load(SYSTEMD / "konakis.toml"))()


def install(*arguments: str, directory: Any = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", str(ROOT / "scripts" / "install"), *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        cwd=directory,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--wheel", "x"), "found '--wheel', expected nothing, --wheels DIR or --uninstall"),
        (("--wheels",), "found '--wheels', expected nothing, --wheels DIR or --uninstall"),
        (("--wheels", ""), "found '--wheels ', expected nothing, --wheels DIR or --uninstall"),
        (("--uninstall", "--wheels", "x"), "found '--uninstall --wheels', expected"),
    ],
)
def test_the_installer_refuses_what_it_does_not_know_in_one_line(arguments: tuple[str, ...], why: str) -> None:
    done = install(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"install: {why}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="root is refused nothing before")
@pytest.mark.parametrize(
    ("arguments", "environment", "why"),
    [
        (("--wheels", "/nowhere"), {}, "--wheels: found no directory /nowhere"),
        (("--wheels", str(SYSTEMD)), {}, "--wheels: found no konakis-*.whl in "),
        ((), {"PYTHON": "python2.7-not-here"}, "found no python2.7-not-here, expected Python 3.11 or newer"),
    ],
)
def test_the_installer_tells_what_is_missing_in_one_line(
    arguments: tuple[str, ...], environment: dict[str, str], why: str
) -> None:
    if shutil.which("systemctl") is None:
        pytest.skip("no systemctl: the installer asks for nothing else before")
    done = install(*arguments, **environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"install: {why}")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="root is refused nothing before")
def test_the_installer_takes_wheels_from_where_it_was_started(tmp_path: Path) -> None:
    if shutil.which("systemctl") is None:
        pytest.skip("no systemctl: the installer asks for nothing else before")
    (tmp_path / "my wheels").mkdir()
    done = install("--wheels", "my wheels", directory=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"install: --wheels: found no konakis-*.whl in {tmp_path}/my wheels\n"


def test_the_installer_tells_its_use() -> None:
    done = install("--help")
    assert done.returncode == 0
    for word in ("--wheels DIR", "--uninstall", "/opt/konakis"):
        assert word in done.stdout


def test_scripts_read_well() -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("no shellcheck")
    done = subprocess.run(
        ["shellcheck", "-x", "scripts/install", "scripts/groups.sh"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == ""


def test_the_log_that_the_docs_show_is_of_the_containers_steps() -> None:
    told = (ROOT / "docs" / "container-log.txt").read_text(encoding="utf-8")
    steps = re.findall(r'log\.step\(f?"([^"]+)"\)', (ROOT / "scripts" / "check-container").read_text(encoding="utf-8"))
    assert len(steps) > 10
    for step in steps:
        assert re.search(
            r"^ok +[\d.]+ s  " + re.sub(r"\\{\w+\\}", r"\\S+", re.escape(step)) + "$", told, re.MULTILINE
        ), step
    assert "FAILED" not in told
    assert re.search(r"^all well after \d+ s$", told, re.MULTILINE)
    exposure = re.search(r"Overall exposure level for konakis.service: ([\d.]+) OK", told)
    assert exposure is not None
    assert float(exposure.group(1)) <= EXPOSURE
    assert f"finds an exposure of {exposure.group(1)} (" in (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
