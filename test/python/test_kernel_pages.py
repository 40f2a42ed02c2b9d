"""The pages of the hot loops are those that the bench writes."""

import subprocess
import sys

from support import ROOT

DOCS = ROOT / "docs"
SCRIPT = """
from bench import kernels
levels = kernels.both_levels(kernels.KERNELS)
print(*map(kernels.slug, levels))
first = next(kernel for kernel in levels if kernel.name == "rms-norm")
print(kernels.slug(first))
print(kernels.page(kernels.measure(first)), end="")
"""


def test_there_is_a_page_for_each_kernel_and_it_says_what_is_measured():
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names, one, page = done.split("\n", 2)
    assert {path.stem for path in (DOCS / "kernels").glob("*.md")} == set(names.split())
    index = (DOCS / "kernels.md").read_text()
    assert all(f"](kernels/{name}.md)" in index for name in names.split())
    assert page == (DOCS / "kernels" / f"{one}.md").read_text(), "run python bench/kernels.py --pages"
