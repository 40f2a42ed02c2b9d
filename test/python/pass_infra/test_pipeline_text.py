"""Pipelines as text: mixed, nested, and wrong."""

import pytest

from hexagon_mlir.ir import HexError
from hexagon_mlir.pass_infra import PassStep, UpstreamStep
from hexagon_mlir.pass_infra.pipeline_text import make_step, parse_pipeline


def test_ours_and_upstreams_mixed():
    steps = parse_pipeline("builtin.module(hexagon-vectorization{unroll=2},canonicalize{max-iterations=3},"
                           "func.func(cse,canonicalize))")
    assert [type(step) for step in steps] == [PassStep, UpstreamStep, UpstreamStep]
    assert [step.title for step in steps] == ["hexagon-vectorization", "canonicalize", "cse,canonicalize"]
    assert [step.text for step in steps] == ["hexagon-vectorization{unroll=2}", "canonicalize{max-iterations=3}",
                                             "func.func(cse,canonicalize)"]


def test_the_outer_module_may_be_left_out():
    whole, bare = parse_pipeline("builtin.module(cse,canonicalize)"), parse_pipeline("cse,canonicalize")
    assert whole == bare
    assert len(bare) == 2


def test_text_of_the_steps_reads_back():
    steps = parse_pipeline("cse,hexagon-vectorization{unroll=2},buffer-loop-hoisting")
    assert parse_pipeline(",".join(step.text for step in steps)) == steps


def test_a_pass_on_functions_is_nested():
    assert make_step("buffer-loop-hoisting", "").text == "func.func(buffer-loop-hoisting)"


def test_commas_in_options_do_not_split():
    steps = parse_pipeline("convert-to-llvm{dynamic=1 filter-dialects=arith,func},cse")
    assert [step.title for step in steps] == ["convert-to-llvm", "cse"]


@pytest.mark.parametrize(("text", "message"), [
    ("zork", "unknown pass 'zork'"),
    ("cse,join-blocks", "pass 'join-blocks' has another name"),
    ("outline-parts{operations=1}", "pass 'outline-parts' has another name"),
    ("cse,zork{a=1}", "unknown pass 'zork'"),
    ("cse}", "unbalanced brackets"),
    ("builtin.module(cse", "unbalanced brackets"),
    ("hexagon-vectorization{unroll=2", "unbalanced brackets"),
    ("hexagon-vectorization{colour=2}", "unknown option 'colour'"),
    ("canonicalize{colour=2}", "no such option colour"),
    ("canonicalize{max-iterations=x}", "'x' value invalid"),
    ("buffer-loop-hoisting{x=1}", "no such option x"),
])
def test_mistakes(text, message, capfd):
    with pytest.raises(HexError, match=message):
        parse_pipeline(text)
    assert capfd.readouterr().err == "", "the bindings must not write to standard error themselves"
