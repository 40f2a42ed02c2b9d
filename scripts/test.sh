#!/usr/bin/env bash
# Runs every test: lit (one folder per pass), then pytest. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
status=0
.venv/bin/lit -q test/lit || status=1
.venv/bin/python -m pytest -n 2 "$@" || status=1
exit $status
