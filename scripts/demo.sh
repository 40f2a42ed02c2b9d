#!/usr/bin/env bash
# Compiles and runs the example kernels on the simulated NPU and prints a table: error, cycles, speed-up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
exec .venv/bin/python bench/demo.py
