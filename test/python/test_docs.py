"""The pages: links and anchors lead somewhere, every page is reached, what is generated is current, the site builds."""

import importlib
import importlib.util
import re
import subprocess
import sys

import pytest
from support import ROOT

from hexagon_mlir import pipelines

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
ELSEWHERE = ("http:", "https:", "mailto:")


def prose(text):
    """A page without its blocks of code, and without code in lines."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(text):
    """What headings are called in links: small letters, hyphens for spaces, a number where it is taken."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        if found[slug]:
            found[f"{slug}-{found[slug]}"] = 0
    return set(found)


def links(page):
    """(target, anchor) of each link into these files."""
    for target in LINK.findall(prose(page.read_text())):
        if not target.startswith(ELSEWHERE):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def broken(page):
    """The links of ``page`` that lead nowhere."""
    return [f"{target}#{anchor}" for target, anchor in links(page)
            if not target.exists() or (anchor and anchor not in anchors(target.read_text()))]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=[*NAMES, "README.md"])
def test_links(page):
    assert broken(page) == []


def test_broken_links_are_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# A title, `code` too\n```\n# no title\n```\n## Twice\n## Twice\n")
    page.write_text("[a](other.md#a-title-code-too) [b](other.md#twice-1) `[c](none.md)`\n```\n[d](none.md)\n```\n")
    assert broken(page) == []
    page.write_text("[a](none.md) [b](other.md#no-title) [c](#here) [d](other.md#twice-2) [e](https://x.org/none)\n")
    assert len(broken(page)) == 4


def test_every_page_is_reached():
    reached, new = set(), [DOCS / "index.md"]
    while new:
        page = new.pop()
        reached.add(page)
        new += [target for target, _ in links(page) if target.suffix == ".md" and target not in reached]
    assert [name for page, name in zip(PAGES, NAMES, strict=True) if page not in reached] == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_named_pages_and_scripts_exist(page):
    named = re.findall(r"\b((?:docs|scripts|bench|examples)/[\w/]+\.(?:md|py|sh|json))\b", page.read_text())
    assert [name for name in sorted(set(named)) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("script", ["api_reference", "walkthrough"])
def test_generated_page_is_current(script, forks):
    done = forks.run("python", ROOT / "scripts" / f"{script}.py", "--check")
    assert done.code == 0, done.err


def test_every_step_of_the_default_pipeline_is_on_its_page():
    reference = importlib.import_module("scripts.pass_reference")
    page = (DOCS / "pipeline.md").read_text()
    assert page == reference.pipeline(), "run scripts/pass_reference.py"
    assert all(entry.text.partition("{")[0] in page and entry.why in page for entry in pipelines.DEFAULT)
    assert "qfloat-spills" in page


def test_the_kernel_of_the_walk_is_shown_at_every_level():
    """A block without lines, or one that was not found by its comment, shows nothing."""
    walkthrough = importlib.import_module("scripts.walkthrough")
    blocks = walkthrough.BLOCK.findall((DOCS / "architecture.md").read_text())
    assert len(blocks) == (DOCS / "architecture.md").read_text().count("<!-- ir ") >= 8
    assert all(len(text.splitlines()) > 2 for _, _, _, text, _ in blocks)


def test_excerpts():
    excerpt = importlib.import_module("scripts.walkthrough").excerpt
    text = "  a {\n    b\n    c\n  }\n  d\n"
    assert excerpt(text, "b .. c; d") == "  b\n  c\n...\nd\n"
    with pytest.raises(LookupError, match="no line with 'e'"):
        excerpt(text, "b .. e")


@pytest.mark.skipif(importlib.util.find_spec("myst_parser") is None, reason="the extra 'docs' is not installed")
def test_site_builds_without_a_warning(tmp_path):
    done = subprocess.run([sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", DOCS,
                           tmp_path / "site"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    index = (tmp_path / "site" / "index.html").read_text()
    assert [name for page, name in zip(PAGES, NAMES, strict=True)
            if not (tmp_path / "site" / page.relative_to(DOCS).with_suffix(".html")).exists()] == []
    assert 'href="architecture.html"' in index and "Reading order" in index
