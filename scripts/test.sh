#!/usr/bin/env bash
# Runs every test: lit (one folder per pass), then pytest. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

unset PYTHONDONTWRITEBYTECODE  # there are several runs of the tests and hundreds of short processes
scripts/setup.sh
# Real binaries need a linker and an emulator. Where these cannot be had, their tests are skipped and say so.
if ! .venv/bin/python -c 'import ziglang' 2>/dev/null; then
  linker=$(sed -n 's/^elf = \["\([^"]*\)"\].*/\1/p' pyproject.toml)
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "$linker" ||
    echo "test.sh: $linker cannot be installed: tests that link are skipped" >&2
fi
if ! .venv/bin/python -c 'import furo, myst_parser, sphinx' 2>/dev/null; then
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[docs]' ||
    echo "test.sh: the generator of the site cannot be installed: its test is skipped" >&2
fi
if ! command -v qemu-hexagon >/dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null ||
     ! { apt-get update -qq && apt-get install -qq -y qemu-user; } >/dev/null 2>&1; then
    echo "test.sh: no qemu-hexagon (apt-get install qemu-user): tests that run binaries are skipped" >&2
  fi
fi
status=0
.venv/bin/lit -q test/lit || status=1
.venv/bin/python -m pytest -n 2 --dist worksteal -rs -m "not timed" "$@" || status=1
.venv/bin/python -m pytest -rs -m timed "$@" || { code=$?; ((code == 5)) || status=1; }  # 5: the arguments name none
exit $status
