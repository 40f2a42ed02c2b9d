"""The operations of the bytecode: numbers keep their meaning, and the docs name them."""

import re

from support import ROOT

from hexagon_mlir.bytecode.operations import BY_NUMBER, OPERATIONS


def test_numbers():
    """Of version 1: programs that were kept depend on them."""
    assert len(BY_NUMBER) == len(OPERATIONS)
    numbers = {
        1: "load", 2: "store", 3: "widen", 5: "fill", 8: "broadcast_column", 12: "reduce_sum", 16: "copy", 29: "silu",
        40: "add", 51: "ne", 56: "add_number", 69: "rdiv_number", 72: "add_column", 79: "rdiv_column",
        84: "add_row", 91: "rdiv_row"}
    assert {number: BY_NUMBER[number].name for number in numbers} == numbers


def test_documented():
    """Each in a row of the table whose range has its number."""
    text = (ROOT / "docs/bytecode.md").read_text()
    rows = re.findall(r"^\| (\d+)(?:(?:,| to) (\d+))? \| (.*) \|$", text, re.MULTILINE)
    for operation in OPERATIONS:
        named = re.sub("_(number|column|row)$", "", operation.name)
        found = [text for first, last, text in rows if int(first) <= operation.number <= int(last or first)]
        assert any(f"`{name}`" in found[-1] for name in (operation.name, named)), operation
