#!/usr/bin/env bash
# Makes .venv with everything the project needs; does nothing when it is up to date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamp=.venv/.hexagon-mlir-installed
wanted=$(sha256sum pyproject.toml | cut -d' ' -f1)
if [[ -x .venv/bin/python && "$(cat "$stamp" 2>/dev/null)" == "$wanted" ]]; then
  exit 0
fi
if [[ ! -x .venv/bin/python ]]; then
  python=$(command -v python3.11) || { echo "setup.sh: python3.11 is needed" >&2; exit 1; }
  echo "setup.sh: making .venv (some minutes the first time)" >&2
  "$python" -m venv .venv
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[triton,torch,dev]'
echo "$wanted" > "$stamp"
