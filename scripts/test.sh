#!/usr/bin/env bash
# Runs every test: lit (one folder per pass), then pytest. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

unset PYTHONDONTWRITEBYTECODE  # there are several runs of the tests and hundreds of short processes
if ! command -v qemu-hexagon >/dev/null && [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
  { apt-get update -qq && apt-get install -qq -y qemu-user; } &>/dev/null &  # beside pip
fi
scripts/setup.sh
extra() {  # name of the extra, its modules, what happens without it; without its requirements pip builds nothing anew
  if ! .venv/bin/python -c "import $2" 2>/dev/null; then
    .venv/bin/python -c "import tomllib
extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']
print(*extras['$1'], sep='\n')" | .venv/bin/python -m pip install --quiet --disable-pip-version-check -r /dev/stdin ||
      echo "test.sh: the extra $1 cannot be installed: $3" >&2
  fi
}
# Real binaries need a linker and an emulator. Where these cannot be had, their tests are skipped and say so.
extra elf ziglang "tests that link are skipped"
extra docs "furo, myst_parser, sphinx" "the test of the site is skipped"
wait
command -v qemu-hexagon >/dev/null ||
  echo "test.sh: no qemu-hexagon (apt-get install qemu-user): tests that run binaries are skipped" >&2
status=0
.venv/bin/lit -q test/lit || status=1
.venv/bin/python -m pytest -n 2 --dist worksteal -rs -m "not timed" "$@" || status=1
.venv/bin/python -m pytest -rs -m timed "$@" || { code=$?; ((code == 5)) || status=1; }  # 5: the arguments name none
exit $status
