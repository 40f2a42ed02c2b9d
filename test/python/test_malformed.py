"""Bad input of every kind: one clear error, exit code 1, no traceback, and never a crash of the process."""

import re
from dataclasses import dataclass

import pytest
from support import Outcome, call_opt, run_opt

GOOD = "func.func @f(%a: i32) -> i32 { return %a : i32 }\n"
LOOP = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n"
SEQUENCE = ("module attributes {transform.with_named_sequence} {\n"
            "  transform.named_sequence @__transform_main(%root: !transform.any_op) {\n"
            "BODY    transform.yield\n  }\n}\n")


@dataclass(frozen=True)
class Bad:
    """An input with flags and what the error must say; ``place`` is a pattern for what stands before it."""

    text: str | bytes
    says: str
    flags: tuple[str, ...] = ()
    place: str = r"<stdin>:\d+:\d+"


REDUCE = ("func.func @f(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {{\n  %0 = linalg.reduce {{ arith.addf }} "
          "ins(%x : tensor<4x8xf32>) outs(%s : tensor<4xf32>) dimensions = {}")
LINE_2 = r"<stdin>:2:\d+"
TOOL = "hexmlir-opt"
MODULE = "<stdin>(:1:1)?"


def nested(opening: str, closing: str, depth: int = 100_000) -> str:
    return opening * depth + closing * depth


CASES = {
    # Text that is no MLIR
    "truncated in a type": Bad("func.func @f(%a: tensor<4x", "expected"),
    "truncated in a body": Bad("func.func @f() {\n  return\n", "expected operation name"),
    "truncated string": Bad('"abc', "expected '\"' in string literal"),
    "not UTF-8": Bad(b"module {\n\xff\xfe\x00}", "line 2 is not UTF-8 text", place="<stdin>"),
    "NUL byte": Bad(b"module {\0}", "NUL character", place="<stdin>"),
    "bytecode": Bad(b"ML\xefR\x0dgarbage", "not UTF-8", place="<stdin>"),
    "an ELF file": Bad(b"\x7fELF\x01\x01\x01\0\0\0\0\0", "NUL", place="<stdin>"),
    "a byte order mark": Bad(b"\xef\xbb\xbfmodule {}", "unexpected character"),
    "prose": Bad("Hello, compiler!", "custom op 'Hello' is unknown"),
    "Python": Bad("import triton\n@triton.jit\ndef k(): pass\n", "custom op 'import' is unknown"),
    "merge conflict": Bad(f"<<<<<<< HEAD\n{GOOD}=======\n", "expected operation name"),
    "unknown escape": Bad(r'"a\xzz"() : () -> ()', "unknown escape"),
    # Wrong IR
    "wrong type of a return": Bad("func.func @f(%a: i32) -> i64 { return %a : i32 }", "doesn't match function"),
    "undeclared value": Bad("func.func @f() -> i32 { return %x : i32 }", "undeclared SSA value"),
    "value used before it is defined": Bad(
        "func.func @f() {\n  %0 = arith.addi %1, %1 : i32\n  %1 = arith.addi %0, %0 : i32\n  return }",
        "does not dominate"),
    "unknown dialect": Bad("nonsense.op", "Dialect `nonsense' not found"),
    "unknown op of a known dialect": Bad("arith.nonsense", "unregistered operation 'arith.nonsense'|is unknown"),
    "unknown attribute alias": Bad("module attributes {x.y = #nope} {}", "undefined symbol alias"),
    "type alias in itself": Bad("!t = tuple<!t>\nmodule {}", "undefined symbol alias"),
    "missing attribute": Bad('"arith.constant"() : () -> i32', "requires attribute 'value'"),
    "missing region": Bad('"scf.for"() : () -> ()', "requires one region"),
    "undefined block": Bad("func.func @f() { cf.br ^bb9 }", "undefined block"),
    "empty block": Bad("func.func @f() { ^bb0: }", "empty block"),
    "duplicated function": Bad(GOOD + GOOD, "redefinition of symbol named 'f'"),
    "unknown callee": Bad("func.func @f() { call @g() : () -> () return }", "does not reference a valid function"),
    "zero step": Bad("func.func @f() { affine.for %i = 0 to 9 step 0 {} return }", "positive"),
    "huge integer": Bad("func.func @f() { %0 = arith.constant 9999999999 : i32 return }", "out of range"),
    "huge integer width": Bad("func.func @f(%a: i16777217) { return }", "limited to 16777215 bits"),
    "dimension beyond 64 bits": Bad(f"func.func private @f(tensor<{'9' * 30}xf32>)",
                                    "a tensor of more than 18446744073709551616 elements"),
    "a tensor beyond any memory": Bad(
        "func.func private @f(tensor<1000000000000x?x1000000000000xf32>)", "at most 281474976710656",
        ("--canonicalize",)),
    "a buffer whose size in bytes is beyond 64 bits": Bad(
        "func.func @f(%a: memref<9223372036854775807xf32>) { return }",
        "a memref of 9223372036854775807 elements", ("--convert-to-llvm",)),
    "negative dimension": Bad("func.func private @f(tensor<-4xf32>)", "expected"),
    "hex data of the wrong size": Bad('module attributes {a.b = dense<"0x00"> : tensor<4xf32>} {}', "hex data size"),
    "element outside a shape": Bad("module attributes {a.b = sparse<[[9]], [1.0]> : tensor<4xf32>} {}",
                                   "not contained within the value shape"),
    "shapes that disagree": Bad(
        "func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {\n"
        "  %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<5xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32> }", "to be 4, but found 5"),
    "slice out of bounds": Bad(
        "func.func @f(%a: tensor<4xf32>) -> tensor<9xf32> {\n"
        "  %0 = tensor.extract_slice %a[3][9][1] : tensor<4xf32> to tensor<9xf32>\n"
        "  return %0 : tensor<9xf32> }", "out-of-bounds"),
    "negative operand segments": Bad(
        'func.func @f(%a: tensor<4xf32>) {\n  "linalg.generic"(%a) <{indexing_maps = [affine_map<(d0) -> (d0)>], '
        "iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 7, -1>}> ({\n"
        "  ^bb0(%x: f32): linalg.yield %x : f32 }) : (tensor<4xf32>) -> ()\n  return }",
        "cannot have negative elements"),
    # What would crash the parser or run for ever
    "regions nested deeply": Bad(nested("module {", "}"), "nested more than 500 deep", ("--canonicalize",)),
    "tuples nested deeply": Bad(f"func.func private @f({nested('tuple<', '>')})", "nested more than 500 deep"),
    "arrays nested deeply": Bad(f"module attributes {{a.b = {nested('[', ']')}}} {{}}", "nested more than 500"),
    "expressions nested deeply": Bad(f"#m = affine_map<(d0) -> ({nested('(', ')')})>", "nested more than 500"),
    "locations nested deeply": Bad(f"module {{}} loc({nested('fused[', ']')})", "nested more than 500"),
    "minus signs without end": Bad(f"#m = affine_map<(d0) -> ({'- ' * 300_000}d0)>", "operators in a row"),
    "divisions without end": Bad(f"#m = affine_map<(d0) -> (d0{' floordiv 3' * 100_000})>", "operators in a row"),
    "a vector of 400 million elements": Bad(
        "func.func @f(%a: vector<100000000x4xf32>) { return }", "a vector of 400000000 elements",
        ("--convert-to-llvm",)),
    "reduced dimensions without an end": Bad(REDUCE.format("[1"), "expected a list of integers", place=LINE_2),
    "reduced dimensions that are none": Bad(REDUCE.format("[a]"), "in 'linalg.reduce'", place=LINE_2),
    "reduced dimensions that are a number": Bad(REDUCE.format("1"), "write dimensions = [0, 1]", place=LINE_2),
    "broadcast dimensions that end in a comma": Bad(
        REDUCE.format("[1,]").replace("reduce { arith.addf }", "broadcast"), "in 'linalg.broadcast'", place=LINE_2),
    "permutation of nothing": Bad(
        "func.func @f(%x: tensor<4x8xf32>) {\n  %0 = linalg.transpose ins(%x : tensor<4x8xf32>) "
        "outs(%x : tensor<4x8xf32>) permutation =", "write permutation = [0, 1]", place=LINE_2),
    # Triton
    "Triton's own form": Bad("tt.func public @k(%a: !tt.ptr<f32>) { tt.return }", "name ends in .ttir"),
    "TTIR with a wrong operand": Bad('"tt.return"(%nope) : (i32) -> ()', "undeclared SSA value"),
    # Passes and pipelines
    "unknown pass": Bad(GOOD, "unknown flag or pass '--no-such-pass'", ("--no-such-pass",), TOOL),
    "a pass by its name of before": Bad(GOOD, "write serialize-forall", ("--join-blocks",), TOOL),
    "a typing error in a flag": Bad(GOOD, "did you mean --verify-levels", ("--verify-level",), TOOL),
    "unknown option of an upstream pass": Bad(GOOD, "no such option x", ("--canonicalize=x=1",), TOOL),
    "unknown option of our pass": Bad(GOOD, "unknown option 'zork'", ("--hexagon-vectorization=zork=1",), TOOL),
    "option of the wrong type": Bad(GOOD, "'zzz' value invalid", ("--canonicalize=max-iterations=zzz",), TOOL),
    "our option of the wrong type": Bad(GOOD, "option 'unroll': 'many' is not an integer",
                                        ("--hexagon-vectorization=unroll=many",), TOOL),
    "option without a value": Bad(GOOD, "option 'unroll' needs a value", ("--hexagon-vectorization=unroll",), TOOL),
    "options that are no options": Bad(GOOD, "cannot read options", ("--hexagon-vectorization==;",), TOOL),
    "brackets in an option": Bad(GOOD, "missing closing", ("--canonicalize={x",), TOOL),
    "pipeline without an end": Bad(GOOD, "unbalanced brackets", ("--pass-pipeline=builtin.module(",), TOOL),
    "pipeline with too many ends": Bad(GOOD, "unbalanced brackets", ("--pass-pipeline=cse)",), TOOL),
    "pipeline nested deeply": Bad(GOOD, "nested more than 100 deep",
                                  (f"--pass-pipeline={nested('func.func(', ')', 5000)}",), TOOL),
    "pipeline of an unknown pass": Bad(GOOD, "unknown pass 'zork'", ("--pass-pipeline=cse,zork",), TOOL),
    "empty pipeline": Bad(GOOD, "needs a value", ("--pass-pipeline=",), TOOL),
    "a setting without a pipeline": Bad(GOOD, "--tcm-bytes is a setting of whole pipelines",
                                        ("--tcm-bytes=4096", "--hexagon-tcm-tiling"), TOOL),
    "unknown named pipeline": Bad(GOOD, "unknown pipeline 'zork'", ("--pipeline=zork",), TOOL),
    "unknown pipeline to print": Bad(GOOD, "unknown pipeline 'zork'", ("--print-pipeline=zork",), TOOL),
    "unknown target": Bad(GOOD, "unknown target 'v99'; known targets: v67", ("--target=v99",), TOOL),
    "unknown kind of output": Bad(GOOD, "unknown --emit kind 'elf'", ("--emit=elf",), TOOL),
    "a pass that fails": Bad(GOOD, "transform-interpreter: could not find", ("--transform-interpreter",), MODULE),
    "dialect that is not there": Bad(GOOD, "dialect not loaded: zork",
                                     ("--convert-to-llvm=filter-dialects=zork",), MODULE),
    # Code generation
    "an op that has no LLVM form": Bad(
        'llvm.func @f() {\n  "foo.bar"() : () -> ()\n  llvm.return }', "not at the llvm level",
        ("--pass-pipeline=cse", "--emit=asm")),
    "tensors for the code generator": Bad(LOOP, "not at the llvm level", ("--pass-pipeline=cse", "--emit=llvm")),
}

SCHEDULES = {
    "schedule of prose": ("tile it, please", "custom op 'tile' is unknown", r"schedule\.mlir:1:1"),
    "schedule without a sequence": ("module {}", "no transform.named_sequence", r"schedule\.mlir"),
    "empty schedule": ("", "no transform.named_sequence", r"schedule\.mlir"),
    "schedule with an unknown transform": (SEQUENCE.replace("BODY", "    transform.nonsense\n"),
                                           "transform.nonsense", r"schedule\.mlir:3:\d+"),
    "schedule that does not match": (
        SEQUENCE.replace("BODY", '    %m = transform.structured.match ops{["linalg.matmul"]} in %root '
                         ": (!transform.any_op) -> !transform.any_op\n"
                         "    %t, %l = transform.structured.tile_using_for %root tile_sizes [4] "
                         ": (!transform.any_op) -> (!transform.any_op, !transform.any_op)\n"),
        "schedule: only ops implementing TilingInterface are supported", r"schedule\.mlir:4:14"),
    "schedule in binary": ("\0\1\2", "NUL", r"schedule\.mlir"),
}


def assert_one_clear_error(result: Outcome, says: str, place: str) -> None:
    assert result.code == 1, f"exit code {result.code}\n{result.err}"
    assert result.out == ""
    assert "Traceback" not in result.err
    assert "internal" not in result.err, result.err
    lines = result.err.splitlines()
    assert re.match(rf"(.*/)?{place}: error: ", lines[0]), f"no place in: {lines[0]}"
    assert re.search(says, result.err) or says in result.err, result.err
    assert len(lines) <= 8, f"more than one clear error:\n{result.err}"


@pytest.mark.parametrize("name", CASES)
def test_input(name):
    case = CASES[name]
    text = case.text if isinstance(case.text, bytes) else case.text.encode()
    assert_one_clear_error(call_opt(*case.flags, stdin=text), case.says, case.place)


REAL = ["regions nested deeply", "tuples nested deeply", "minus signs without end", "not UTF-8", "unknown pass",
        "bytecode", "undeclared value", "option of the wrong type", "a vector of 400 million elements",
        "tensors for the code generator", "reduced dimensions without an end",
        "a buffer whose size in bytes is beyond 64 bits"]


@pytest.mark.parametrize("name", REAL)
def test_input_to_the_real_binary(name):
    case = CASES[name]
    text = case.text if isinstance(case.text, bytes) else case.text.encode()
    assert_one_clear_error(run_opt(*case.flags, stdin=text), case.says, case.place)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule(name, tmp_path):
    text, says, place = SCHEDULES[name]
    file = tmp_path / "schedule.mlir"
    file.write_text(text)
    result = call_opt(f"--schedule={file}", stdin=LOOP.encode())
    assert_one_clear_error(result, says, place)


class TestFiles:
    def test_missing_input(self, tmp_path):
        assert_one_clear_error(call_opt(str(tmp_path / "no.mlir")), "cannot read: No such file", "no.mlir")

    def test_directory_as_input(self, tmp_path):
        assert_one_clear_error(call_opt(str(tmp_path)), "cannot read: Is a directory", ".*")

    def test_missing_schedule(self):
        assert_one_clear_error(call_opt("--schedule=/no/s.mlir", stdin=b""), "cannot read", "s.mlir")

    def test_output_into_a_missing_folder(self, tmp_path):
        result = call_opt("-o", str(tmp_path / "no" / "x.mlir"), stdin=GOOD.encode())
        assert_one_clear_error(result, "cannot write the file: No such file", "x.mlir")

    def test_output_onto_a_folder(self, tmp_path):
        result = call_opt("-o", str(tmp_path), stdin=GOOD.encode())
        assert_one_clear_error(result, "cannot write the file: Is a directory", ".*")

    def test_dump_folder_is_a_file(self, tmp_path):
        (tmp_path / "dump").write_text("")
        result = call_opt("--cse", f"--dump-ir={tmp_path}/dump", stdin=GOOD.encode())
        assert_one_clear_error(result, "cannot write the file: File exists", ".*")

    def test_full_device(self):
        result = run_opt("-o", "/dev/full", stdin=GOOD.encode())
        assert_one_clear_error(result, "No space left", "full")

    @pytest.mark.parametrize(("text", "says", "place"), [
        ("module { tt.func public @k(%a: !tt.ptr<f32>) { tt.nonsense } }", "'tt.nonsense' is unknown",
         r"k\.ttir:1:48"),
        ("tt.func public @k(", "expected", r"k\.ttir:1:\d+"),
        (nested("module {", "}"), "nested more than 500 deep", r"k\.ttir:1:\d+"),
        ("\0\1", "NUL character", r"k\.ttir"),
        ("module {\0}", "NUL character", r"k\.ttir"),
    ])
    def test_wrong_ttir(self, text, says, place, tmp_path):
        pytest.importorskip("triton")
        file = tmp_path / "k.ttir"
        file.write_text(text)
        assert_one_clear_error(call_opt(str(file)), says, place)

    def test_two_inputs(self):
        assert_one_clear_error(call_opt("a.mlir", "b.mlir"), "more than one input", TOOL)


class TestNoError:
    """Odd but valid input keeps working."""

    @pytest.mark.parametrize(("text", "flags"), [
        ("", ()),
        ("module {\r\n}\r\n", ()),
        ("// only a comment", ()),
        ("func.func private @f(tensor<16777216x?x16777216xf32>)", ("--canonicalize",)),
        (REDUCE.format("[ 1 ]\n  return }"), ("--canonicalize",)),
        ('func.func private @f() attributes {a.b = {dimensions = 3, text = "linalg.reduce"}}', ()),
        ("func.func @f() -> tensor<1000000000000xf32> {\n"
         "  %0 = arith.constant dense<1.0> : tensor<1000000000000xf32>\n"
         "  %1 = arith.addf %0, %0 : tensor<1000000000000xf32>\n"
         "  return %1 : tensor<1000000000000xf32> }", ("--canonicalize",)),
        ("func.func @f() -> i32 {\n  %0 = arith.constant 0 : i32\n  %1 = arith.divsi %0, %0 : i32\n"
         "  return %1 : i32 }", ("--canonicalize", "--sccp")),
        ("func.func @f() { call @f() : () -> () return }", ("--inline", "--canonicalize")),
        ("func.func @f() { call @g() : () -> () return }\nfunc.func @g() { call @f() : () -> () return }",
         ("--inline",)),
        (nested("module {", "}", 400), ("--canonicalize",)),
        ("// " + "-" * 2000 + "\n// " + "(" * 2000 + "\nmodule {}", ()),
        ('module attributes {a.b = "' + "{" * 2000 + '"} {}', ()),
    ])
    def test_succeeds(self, text, flags):
        result = call_opt(*flags, stdin=text.encode())
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith(("module", '"builtin.module"'))


def test_an_index_of_more_bits_than_an_address_is_named():
    """They would be cut off: the loop below ran 0 times."""
    text = b"""func.func @f(%out: memref<64xf32>) {
  %low = arith.constant 34359738368 : index
  %high = arith.constant 34359738388 : index
  %step = arith.constant 2 : index
  %x = arith.constant 1.0 : f32
  scf.for %i = %low to %high step %step {
    linalg.fill ins(%x : f32) outs(%out : memref<64xf32>)
  }
  return
}
"""
    outcome = call_opt("-", "--pipeline=default", "--emit=asm", stdin=text)
    assert outcome.code == 1
    assert re.search(r"2:10: error: .*34359738368 is no index: those have 32 bits", outcome.err), outcome.err
    assert call_opt("-", "--pipeline=default", "--emit=asm", stdin=text.replace(b"343597383", b"343")).code == 0
