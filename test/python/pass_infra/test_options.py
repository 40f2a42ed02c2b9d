"""Options as text: every type, both directions, every mistake."""

import pytest
from pass_infra.example import ExamplePass, RequiredPass, Tail

from hexagon_mlir.ir import HexError
from hexagon_mlir.pass_infra import options


@pytest.mark.parametrize(("text", "field", "value"), [
    ("tile-bytes=16", "tile_bytes", 16),
    ("tile-bytes=0x20", "tile_bytes", 32),
    ("tile-bytes=2147483647", "tile_bytes", 2147483647),
    ("tile_bytes=7", "tile_bytes", 7),
    ("scale=2.5", "scale", 2.5),
    ("scale=1e-3", "scale", 0.001),
    ("sizes=1,32,8", "sizes", (1, 32, 8)),
    ("sizes=4", "sizes", (4,)),
    ("tail=cut", "tail", Tail.CUT),
    ("label=abc", "label", "abc"),
    ("label='a b'", "label", "a b"),
    ('label="a=b"', "label", "a=b"),
    ("verbose", "verbose", True),
    ("verbose=true", "verbose", True),
    ("verbose=0", "verbose", False),
])
def test_one_option(text, field, value):
    instance = options.build(ExamplePass, text)
    assert getattr(instance, field) == value
    assert instance == ExamplePass(**{field: value}), "no other option changes"


def test_several_options_and_spaces():
    assert options.build(ExamplePass, "  tile-bytes=8   tail=cut verbose ") == ExamplePass(
        tile_bytes=8, tail=Tail.CUT, verbose=True)


def test_the_last_of_two_counts():
    assert options.build(ExamplePass, "tile-bytes=1 tile-bytes=2").tile_bytes == 2


@pytest.mark.parametrize(("text", "message"), [
    ("colour=red", "unknown option 'colour'"),
    ("tile-bytes=many", "option 'tile-bytes': 'many' is not an integer"),
    ("tile-bytes=1.5", "'1.5' is not an integer"),
    ("tile-bytes=-2", "-2 is not one of -1 to 2147483647"),
    ("sizes=1,2147483648", "2147483648 is not one of -1 to 2147483647"),
    ("scale=nan", "nan is no finite number"),
    ("scale=fast", "'fast' is not a number"),
    ("sizes=1,x", "'x' is not an integer"),
    ("tail=long", "'long' is not one of guard, cut"),
    ("verbose=perhaps", "'perhaps' is not true or false"),
    ("tile-bytes", "option 'tile-bytes' needs a value"),
    ("=3", "cannot read options '=3'"),
    ("tile-bytes=1;2 ;", "cannot read options|is not an integer"),
])
def test_mistakes(text, message):
    with pytest.raises(HexError, match=message) as caught:
        options.build(ExamplePass, text)
    assert caught.value.diagnostics[0].origin == "example"


def test_unknown_option_lists_the_known_ones():
    with pytest.raises(HexError) as caught:
        options.build(ExamplePass, "colour=red")
    assert caught.value.diagnostics[0].hint == (
        "options of example: tile-bytes, scale, sizes, tail, label, verbose")


def test_required_option():
    assert options.build(RequiredPass, "count=3").count == 3
    with pytest.raises(HexError, match="option 'count' is required"):
        options.build(RequiredPass, "")


@pytest.mark.parametrize("instance", [
    ExamplePass(), ExamplePass(tile_bytes=9), ExamplePass(sizes=(1, 2), tail=Tail.CUT, verbose=True),
    ExamplePass(scale=0.25, label="abc"),
])
def test_rendered_text_builds_the_same_pass(instance):
    text = options.render(instance)
    name, _, rest = text.partition("{")
    assert name == "example"
    assert options.build(ExamplePass, rest.removesuffix("}")) == instance


def test_defaults_are_not_rendered():
    assert options.render(ExamplePass()) == "example"
    assert options.render(ExamplePass(tile_bytes=9)) == "example{tile-bytes=9}"
