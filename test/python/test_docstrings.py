"""The Before/After of every pass's docstring is true: the pass alone does that; docs/passes.md shows it."""

import difflib
import importlib
import sys

import pytest
from support import ROOT, pass_names

from hexagon_mlir import levels, targets
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.pass_infra import CLEAN, PassContext, PassStep, docstring, options, registry

MOST_LINES = 100
"""Of an example, before and after."""


def normalised(text: str, name: str, locations: bool) -> str:
    """``text`` through parser and printer: SSA names, aliases and spacing become the printer's."""
    return to_text(parse(text, file=name), elide=False, locations=locations)


@pytest.mark.parametrize("name", pass_names())
def test_before_becomes_after(name):
    pass_class = registry.get(name)
    examples = docstring.read(pass_class).examples
    assert examples, f"{name}: no Before:/After: in the docstring"
    for example in examples:
        module = parse(example.before, file=f"{name}, Before")
        levels.check(module, pass_class.needs, f"{name}, Before")
        step = PassStep(options.build(pass_class, example.options))
        step.run(module, PassContext(targets.get()))
        module.operation.verify()
        levels.check(module, pass_class.leaves, f"{name}, After")
        if example.folded:
            CLEAN.run(module, PassContext(targets.get()))
        locations = " loc(" in example.after
        got = to_text(module, elide=False, locations=locations)
        if example.in_part:
            assert example.is_shown_by(got), f"{name}: After: is not in what the pass gives\n{got}"
            assert got != normalised(example.before, f"{name}, Before", locations), f"{name}: changes nothing"
            continue
        wanted = normalised(example.after, f"{name}, After", locations)
        difference = "\n".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "docstring",
                                                    "the pass", lineterm=""))
        assert got == wanted, f"{name}: After: is not what the pass gives\n{difference}\n\nIt gives:\n{got}"
        before = normalised(example.before, f"{name}, Before", locations)
        assert got != before, f"{name}: the example changes nothing"


def test_reference_is_current():
    sys.path.insert(0, str(ROOT))
    reference = importlib.import_module("scripts.pass_reference")
    assert reference.DOCUMENT.read_text() == reference.reference(), "run scripts/pass_reference.py"
    for path, text in reference.lists().items():
        assert path.read_text() == text, "run scripts/pass_reference.py"


def test_parts_of_an_example():
    text = "#map = affine_map<() -> ()>\nmodule {\n  func.func @f() {\n    a.one\n    a.two\n    a.three\n  }\n}\n"
    first, last = "#map = affine_map<() -> ()>\nfunc.func @f() {", "}"
    for body, right in (("...\n  a.two\n  ...", True), ("a.one\n  ...\n  a.three", True), ("a.one\n  a.three", False),
                        ("...\n  a.three\n  ...\n  a.two\n  ...", False), ("a.one\n  ...\n  a.four\n  ...", False)):
        example = docstring.Example("", f"{first}\n  {body}\n{last}")
        assert example.is_shown_by(text) == right, body
        assert example.in_part == ("..." in body)
    assert not docstring.Example("", "...\nfunc.func @f() {").is_shown_by(text), "the end is missing"


def test_examples_are_short():
    for name in pass_names():
        for example in docstring.read(registry.get(name)).examples:
            lines = len(example.before.splitlines()) + len(example.after.splitlines())
            assert lines <= MOST_LINES, f"{name}: {lines} lines: take a smaller example, or leave lines out by '...'"
