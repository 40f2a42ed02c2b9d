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

# The plain torch wheel for Linux brings several GB of CUDA: install only a build without it.
if ! .venv/bin/python -c 'import torch' 2>/dev/null && [[ -z "${HEXMLIR_ALLOW_CUDA_TORCH:-}" ]]; then
  torch=$(sed -n 's/^torch = \["\(torch==[^"]*\)"\].*/\1/p' pyproject.toml)
  if .venv/bin/python -m pip install --quiet --disable-pip-version-check --dry-run --ignore-installed --no-deps \
      --report - "$torch" | grep -qE '"(nvidia-|cuda-)'; then
    cat >&2 <<EOF
setup.sh: pip would install a CUDA build of $torch (several GB), which this project never uses.
  Install the CPU build first, with the command that pytorch.org shows for "Linux, Pip, CPU" and version ${torch#*==}:
    .venv/bin/python -m pip install $torch --index-url <PyTorch's CPU wheels>
  and run this again; or set HEXMLIR_ALLOW_CUDA_TORCH=1 to take the CUDA build.
EOF
    exit 1
  fi
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
  -e '.[triton,torch,onnx,llm,quantization,cluster,dev]'
# pip compiles on one core. Packages have files for other versions of Python, which do not compile.
.venv/bin/python -m compileall -qq -j 0 .venv/lib || true
echo "$wanted" > "$stamp"
