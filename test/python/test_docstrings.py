"""The Before/After of every pass's docstring is true: the pass alone does that; docs/passes.md shows it."""

import difflib
import importlib
import sys

import pytest
from support import ROOT, pass_names

from hexagon_mlir import levels, targets
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.pass_infra import CLEAN, PassContext, PassStep, docstring, options, registry


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
