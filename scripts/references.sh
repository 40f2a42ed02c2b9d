#!/usr/bin/env bash
# Writes the pages of docs/ that are made of the code: the interface, the passes, the pipeline, the faults of LLVM, and the
# IR in the architecture.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for script in walkthrough api_reference pass_reference llvm_faults; do
  .venv/bin/python "scripts/$script.py"
done
