#!/usr/bin/env bash
# Builds the pages of docs/ as a site, in build/site; a broken link is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
.venv/bin/python -c 'import furo, myst_parser, sphinx' 2>/dev/null ||
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
.venv/bin/python -m sphinx --quiet --fail-on-warning --keep-going docs build/site
echo "build/site/index.html"
