# Sourced by scripts/demo and scripts/test: brings the virtual environment .venv up to date, or says what is missing.
#
# A stamp holds a checksum of pyproject.toml for each kind of install, so that a second run starts at once.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

missing() { # what, the line that installs it
    echo "$(basename "$0"): missing: $1. Install it with: $2" >&2
    exit 2
}

command -v python3 >/dev/null || missing "python3 (3.11 or newer)" "sudo apt install python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    missing "Python 3.11 or newer (found $(python3 -V 2>&1))" "a newer Debian or Raspberry Pi OS (12 or later)"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing "python3-venv" "sudo apt install python3-venv"

set_up() { # kind: "run" or "dev"
    local kind=$1 what=. stamp=.venv/konakis-$1
    [ "$kind" = dev ] && what='.[dev]'
    local sum
    sum=$(cksum <pyproject.toml)
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && return
    [ -x .venv/bin/python ] || python3 -m venv .venv || exit 2
    echo "$(basename "$0"): installing into .venv (once; about a minute)" >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable "$what" || {
        echo "$(basename "$0"): pip could not install what pyproject.toml asks for; its message stands above." >&2
        exit 2
    }
    echo "$sum" >"$stamp"
}
