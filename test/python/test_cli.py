"""``hexmlir-opt``: every flag, in this process; the binary itself where a process matters."""

import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import ROOT, call_opt, run_opt

import hexagon_mlir as hx
from bench.machine import slowness
from hexagon_mlir import pipelines
from hexagon_mlir.cli.arguments import FLAGS, UsageError, parse_arguments

ADD = """func.func @add(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = arith.addi %a, %zero : i32
  return %sum : i32
}
"""
MATMUL = """
func.func @m(%a: tensor<64x8xf32>, %b: tensor<8x8xf32>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x8xf32>) outs(%c : tensor<64x8xf32>)
    -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}
"""
SCHEDULE = (ROOT / "test/lit/tools/Inputs/tile.mlir").read_text()
LLVM = "llvm.func @f(%a: i32) -> i32 {\n  %0 = llvm.add %a, %a : i32\n  llvm.return %0 : i32\n}\n"
START_UP_SECONDS = 0.5
"""On the reference machine of `bench.machine`; bindings and numpy take a third."""


@pytest.fixture
def add(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    return str(path)


def cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class TestArguments:
    def test_passes_keep_their_order_and_options(self):
        read = parse_arguments(["k.mlir", "--cse", "--form-virtual-threads=threads=4 x=1",
                                "--pipeline=default", "-canonicalize"])
        assert [(r.kind, r.name, r.options) for r in read.requests] == [
            ("pass", "cse", ""), ("pass", "form-virtual-threads", "threads=4 x=1"),
            ("pipeline", "default", ""), ("pass", "canonicalize", "")]
        assert read.input == "k.mlir"

    @pytest.mark.parametrize(("argv", "field", "value"), [
        (["-o", "x.mlir"], "output", "x.mlir"),
        (["--output=x.mlir"], "output", "x.mlir"),
        (["--verify-each=false"], "verify_each", False),
        (["--verify-each=1"], "verify_each", True),
        (["--print-ir-after=cse,canonicalize"], "print_ir_after", ("cse", "canonicalize")),
        (["--print-ir-before"], "print_ir_before", ()),
        (["--mlir-print-ir-after-all"], "print_ir_after_all", True),
        (["--print-pipeline"], "print_pipeline", ""),
        (["--print-pipeline=default"], "print_pipeline", "default"),
        (["--emit", "asm"], "emit", "asm"),
        (["--", "--odd-name"], "input", "--odd-name"),
    ])
    def test_flags(self, argv, field, value):
        assert getattr(parse_arguments(argv), field) == value

    @pytest.mark.parametrize("argv", [["a", "b"], ["--emit=elf"], ["--target"], ["--timing=maybe"], ["--=3"],
                                      ["--emit=obj", "--split-input-file"], ["--;rm"]])
    def test_refusals(self, argv):
        with pytest.raises(UsageError):
            parse_arguments(argv)


class TestInformation:
    def test_help_names_every_flag(self):
        out = call_opt("--help").out
        assert all(f"--{flag.name}" in out for flag in FLAGS)
        assert call_opt("-h").out == out

    def test_version(self):
        assert re.match(r"hexagon-mlir \d+\.\d+\.\d+\n  torch-mlir \d+", call_opt("--version").out)

    def test_list_passes(self):
        from hexagon_mlir import pass_names

        out = call_opt("--list-passes").out
        shown = [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")]
        assert shown == [*pass_names.names()]
        assert "cannot be loaded" not in out
        assert re.search(r"^  [a-z-]+=<[^>]+> \((default: .+|required)\)$", out, re.MULTILINE)

    def test_list_pipelines(self):
        assert "default" in call_opt("--list-pipelines").out.split()

    @pytest.mark.parametrize("pipeline", pipelines.names())
    def test_emits_what_is_run(self, tmp_path, pipeline):
        """Also of the baselines, whose loops are LLVM's to change."""
        file = tmp_path / "m.mlir"
        file.write_text(MATMUL)
        asm = call_opt(str(file), f"--pipeline={pipeline}", "--emit=asm").out
        assert asm == hx.compile(MATMUL, pipeline=pipeline).asm


class TestInputAndOutput:
    def test_file(self, add):
        result = call_opt(add, "--canonicalize")
        assert (result.code, result.err) == (0, "")
        assert "return %arg0 : i32" in result.out

    def test_stdin(self, add):
        assert call_opt("-", "--cse", stdin=ADD.encode()) == call_opt("--cse", stdin=ADD.encode())
        assert call_opt(stdin=ADD.encode()).out == call_opt(add).out

    def test_output_file(self, add, tmp_path):
        target = tmp_path / "out.mlir"
        assert call_opt(add, "-o", str(target)).out == ""
        assert target.read_text() == call_opt(add).out

    def test_output_file_is_left_alone_after_an_error(self, add, tmp_path):
        target = tmp_path / "out.mlir"
        target.write_text("before")
        assert call_opt(add, "--no-such-pass", "-o", str(target)).code == 1
        assert target.read_text() == "before"

    def test_output_parses_again_with_all_constants(self):
        values = ", ".join(str(float(i)) for i in range(200))
        text = ("func.func @f() -> tensor<200xf32> {\n"
                f"  %0 = arith.constant dense<[{values}]> : tensor<200xf32>\n"
                "  return %0 : tensor<200xf32>\n}\n")
        once = call_opt(stdin=text.encode())
        assert once.code == 0
        assert call_opt(stdin=once.out.encode()).out == once.out
        assert '00004743"> : tensor<200xf32>' in once.out  # 199.0, the last of them

    def test_locations_and_generic_form(self, add):
        assert f'"{Path("-")}":3:10' in call_opt(add, "--mlir-print-debuginfo").out
        assert '"arith.addi"(%arg0, %0)' in call_opt(add, "--mlir-print-op-generic").out

    def test_split_input(self):
        text = ADD + "// -----\n" + ADD.replace("@add", "@second")
        out = call_opt("--split-input-file", "--canonicalize", stdin=text.encode()).out
        assert [("@add" in part, "@second" in part) for part in out.split("// -----\n")] == [
            (True, False), (False, True)]

    def test_an_error_in_one_part_keeps_the_others(self):
        text = ADD + "// -----\nfunc.func @bad() { return 1 }\n// -----\n" + ADD.replace("@add", "@third")
        result = call_opt("--split-input-file", stdin=text.encode())
        assert result.code == 1
        assert result.err.startswith("<stdin>:7:")
        assert "@add" in result.out and "@third" in result.out

    def test_generic_ttir_needs_no_triton(self, tmp_path):
        path = tmp_path / "k.ttir"
        path.write_text('"builtin.module"() ({ "tt.func"() <{function_type = () -> (), sym_name = "k"}> ({\n'
                        '  "tt.return"() : () -> () }) : () -> () }) : () -> ()\n')
        result = call_opt(str(path))
        assert (result.code, '"tt.func"' in result.out) == (0, True)


    def test_tritons_own_form_is_converted(self, tmp_path):
        pytest.importorskip("triton")
        path = tmp_path / "k.ttir"
        path.write_text("module { tt.func public @k(%a: !tt.ptr<f32>) {\n"
                        "  %0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n  tt.return } }\n")
        result = call_opt(str(path))
        assert (result.code, result.err) == (0, "")
        assert '"tt.make_range"() <{end = 8 : i32, start = 0 : i32}> : () -> tensor<8xi32>' in result.out


class TestRunning:
    def test_pass_pipeline_equals_flags(self, add):
        flags = call_opt(add, "--canonicalize=max-iterations=2", "--cse")
        text = call_opt(add, "--pass-pipeline=builtin.module(canonicalize{max-iterations=2},cse)")
        assert flags == text and flags.code == 0

    def test_function_passes_are_nested(self, add):
        for name in ("buffer-loop-hoisting", "affine-loop-unroll"):
            assert call_opt(add, f"--{name}").code == 0

    def test_print_pipeline_can_be_given_back(self, add):
        text = call_opt("--print-pipeline", "--buffer-loop-hoisting", "--canonicalize=max-iterations=2").out
        assert text == ("builtin.module(\n  func.func(buffer-loop-hoisting),\n"
                        "  canonicalize{max-iterations=2}\n)\n")
        assert call_opt(add, f"--pass-pipeline={text}") == call_opt(add, "--canonicalize")

    def test_schedule_replays_what_was_printed(self, tmp_path):
        file, replay = tmp_path / "s.mlir", tmp_path / "replay.mlir"
        file.write_text(SCHEDULE)
        tiled = call_opt(f"--schedule={file}", stdin=MATMUL.encode())
        assert "scf.for" in tiled.out
        replay.write_text(call_opt(f"--schedule={file}", "--print-schedule", stdin=MATMUL.encode()).out)
        assert call_opt(f"--schedule={replay}", stdin=MATMUL.encode()) == tiled

    def test_targets(self, add):
        for name in ("v68", "v73", "v75", "v79"):
            assert call_opt(add, f"--target={name}").code == 0

    def test_verify_each_off_lets_invalid_ir_through(self, tmp_path):
        file = tmp_path / "s.mlir"
        file.write_text(
            "module attributes {transform.with_named_sequence} {\n"
            "  transform.named_sequence @__transform_main(%root: !transform.any_op) {\n"
            "    %p = transform.param.constant 1 : i64 -> !transform.any_param\n"
            '    transform.annotate %root "llvm.data_layout" = %p : !transform.any_op, !transform.any_param\n'
            "    transform.yield\n  }\n}\n")
        strict = call_opt(f"--schedule={file}", stdin=ADD.encode())
        assert strict.code == 1
        assert "schedule: 'builtin.module' op expected 'llvm.data_layout' to be a string attribute" in strict.err
        loose = call_opt(f"--schedule={file}", "--verify-each=false", stdin=ADD.encode())
        assert (loose.code, loose.err) == (0, "")
        assert "llvm.data_layout = 1 : i64" in loose.out


class TestWatching:
    def test_print_ir_after(self, add):
        err = call_opt(add, "--canonicalize", "--cse", "--print-ir-after=cse").err
        assert re.findall(r"// -----// IR Dump .*", err) == ["// -----// IR Dump After cse //----- //"]

    def test_print_ir_before_shows_the_input(self, add):
        err = call_opt(add, "--canonicalize", "--print-ir-before=canonicalize").err
        assert "// -----// IR Dump Before canonicalize //----- //" in err
        assert "arith.addi" in err

    def test_all(self, add):
        err = call_opt(add, "--canonicalize", "--cse", "--print-ir-before-all", "--print-ir-after-all").err
        assert re.findall(r"IR Dump (\w+ \w+)", err) == [
            "Before canonicalize", "After canonicalize", "Before cse", "After cse"]

    def test_after_change_leaves_out_idle_passes(self, add):
        err = call_opt(add, "--cse", "--canonicalize", "--cse", "--print-ir-after-change").err
        assert re.findall(r"IR Dump (\w+ \w+)", err) == ["After canonicalize"]

    def test_dump_ir(self, add, tmp_path):
        folder = tmp_path / "dump" / "deep"
        call_opt(add, "--canonicalize", "--cse", f"--dump-ir={folder}")
        assert sorted(p.name for p in folder.iterdir()) == [
            "00-canonicalize.after.mlir", "00-canonicalize.before.mlir", "01-cse.after.mlir",
            "01-cse.before.mlir"]
        assert "arith.addi" in (folder / "00-canonicalize.before.mlir").read_text()
        assert "arith.addi" not in (folder / "00-canonicalize.after.mlir").read_text()

    def test_dump_ir_of_a_split_input(self, tmp_path):
        two = f"{ADD}// -----\n{ADD}"
        call_opt("--split-input-file", "--cse", f"--dump-ir={tmp_path}", stdin=two.encode())
        assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.before.mlir")) == [
            "part00/00-cse.before.mlir", "part01/00-cse.before.mlir"]

    def test_failing_pass_leaves_its_input(self, add, tmp_path):
        result = call_opt(add, "--cse", "--transform-interpreter", f"--dump-ir={tmp_path}")
        assert result.code == 1
        assert "arith.addi" in (tmp_path / "01-transform-interpreter.before.mlir").read_text()
        assert not (tmp_path / "01-transform-interpreter.after.mlir").exists()

    def test_code_generation_is_dumped_and_timed(self, add, tmp_path):
        err = call_opt(add, "--pipeline=default", "--emit=asm", f"--dump-ir={tmp_path}", "--timing").err
        assert re.search(r"^ +\d+\.\d\d +\d+\.\d% +llvm-o3$", err, re.MULTILINE)
        named = {path.name.partition("-")[2]: path for path in tmp_path.iterdir()}
        assert "define" in named["llvm-o3.after.ll"].read_text()
        assert "jumpr r31" in named["llvm-codegen.after.s"].read_text()

    @pytest.mark.parametrize("flags", [["--print-pipeline=default"], ["--print-pipeline", "--pipeline=default"]])
    def test_a_whole_pipeline_is_printed_down_to_assembly(self, flags, add):
        text = call_opt(*flags).out
        names = ["hexagon-fusion", "convert-func-to-llvm", "native-vectors  // ", "llvm-o3  // ", "zero-tests  // ",
                 "loop-order  // ", "llvm-codegen  // ", "qfloat-spills  // "]
        places = [text.index(name) for name in names]
        assert places == sorted(places)
        assert call_opt(add, "--print-pipeline", f"--pass-pipeline={text}").code == 0

    def test_timing(self, add):
        err = call_opt(add, "--canonicalize", "--timing").err
        row = re.search(r"^ +(\d+\.\d\d) +(\d+\.\d)% +3 +-2  canonicalize$", err, re.MULTILINE)
        assert row and float(row.group(1)) > 0
        assert re.search(r"^ +\d+\.\d\d  100\.0% +total$", err, re.MULTILINE)

    def test_stats(self, add):
        err = call_opt(add, "--canonicalize", "--stats").err
        assert re.search(r"^ +1 +0  arith\.addi$", err, re.MULTILINE)
        assert re.search(r"^ +5 +3  total$", err, re.MULTILINE)

    def test_verify_levels(self):
        result = call_opt("--hexagon-vectorization", "--verify-levels", stdin=MATMUL.encode())
        assert result.code == 1
        assert "level 'buffer' does not allow" in result.err


class TestVerifyDiagnostics:
    def run(self, text, *flags):
        return call_opt("--verify-diagnostics", *flags, stdin=text.encode())

    def test_expected_error_is_success(self):
        assert self.run("func.func @f() {\n  // expected-error @+1 {{undeclared SSA value}}\n"
                        "  return %x : i32\n}\n").code == 0

    @pytest.mark.parametrize(("comment", "complaint"), [
        ("", "unexpected error: use of undeclared SSA value"),
        ("// expected-error @+1 {{something else}}", 'expected error "something else" was not produced'),
        ("// expected-error {{undeclared}}", 'expected error "undeclared" was not produced'),
        ("// expected-warning @+1 {{undeclared}}", 'expected warning "undeclared" was not produced'),
        ("// expected-error-re @+1 {{un{{[0-9]+}}clared}}", "was not produced"),
    ])
    def test_difference_is_failure(self, comment, complaint):
        result = self.run(f"func.func @f() {{\n  {comment}\n  return %x : i32\n}}\n")
        assert result.code == 1
        assert complaint in result.err
        assert re.match(r"<stdin>:[23]", result.err)

    def test_error_that_does_not_come(self):
        result = self.run("// expected-error {{boom}}\n" + ADD)
        assert (result.code, result.err) == (1, '<stdin>:1: error: expected error "boom" was not produced\n')

    def test_unknown_position(self):
        text = "// expected-error @unknown {{dialect not loaded: zork}}\n" + ADD
        assert self.run(text, "--convert-to-llvm=filter-dialects=zork").code == 0


class TestEmit:
    def test_llvm(self):
        result = call_opt("--emit=llvm", stdin=LLVM.encode())
        assert (result.code, "define i32 @f(i32" in result.out) == (0, True)

    def test_asm(self):
        result = call_opt("--emit=asm", stdin=LLVM.encode())
        assert result.code == 0, result.err
        assert re.search(r"^f:", result.out, re.MULTILINE)
        assert "jumpr r31" in result.out

    def test_object(self, tmp_path):
        file = tmp_path / "f.o"
        assert call_opt("--emit=obj", "-o", str(file), stdin=LLVM.encode()).code == 0
        data = file.read_bytes()
        assert data[:4] == b"\x7fELF"
        assert int.from_bytes(data[18:20], "little") == 164  # EM_HEXAGON

    def test_a_pipeline_that_stops_early_is_an_error(self):
        result = call_opt("--pass-pipeline=builtin.module(cse)", "--emit=asm", stdin=ADD.encode())
        assert result.code == 1
        assert "operations are not at the llvm level" in result.err
        assert "--pipeline=default" in result.err

    def test_default_pipeline_is_added(self):
        result = call_opt("--emit=asm", stdin=ADD.encode())
        assert result.code == 0, result.err
        assert re.search(r"^add:", result.out, re.MULTILINE)


class TestProcess:
    """What only a real process shows."""

    @pytest.mark.timed
    @pytest.mark.parametrize("argv", [["--help"], ["--list-passes"], ["{add}", "--canonicalize"]],
                             ids=["help", "list-passes", "small input"])
    def test_start_up_time(self, add, argv):
        shares = []
        for _ in range(10):
            limit = START_UP_SECONDS * slowness()  # anew: it changes by a factor of two within seconds
            start, cpu = time.perf_counter(), cpu_seconds_of_children()
            assert run_opt(*(word.format(add=add) for word in argv)).code == 0
            # On a busy machine the process waits for its turn; what it used up does not depend on that.
            shares.append(min(time.perf_counter() - start, cpu_seconds_of_children() - cpu) / limit)
            if shares[-1] < 1:
                break
        assert min(shares) < 1

    @pytest.mark.parametrize("flag", ["--help", "--list-passes", "--list-pipelines", "--version"])
    def test_information_does_not_import_the_bindings(self, flag):
        code = (f"import sys; from hexagon_mlir.cli import opt; opt.main([{flag!r}]); "
                "sys.exit('torch_mlir' in sys.modules or 'numpy' in sys.modules)")
        assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0

    def test_a_run_does_not_import_torch_or_triton(self, add):
        code = (f"import sys; from hexagon_mlir.cli import opt; opt.main([{add!r}, '--cse']); "
                "sys.exit(any(m in sys.modules for m in ('torch', 'triton', 'llvmlite', 'rich')))")
        assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0

    def test_binary_gives_what_the_function_gives(self, add):
        assert run_opt(add, "--canonicalize") == call_opt(add, "--canonicalize")
        assert run_opt("-", stdin=ADD.encode()) == call_opt(stdin=ADD.encode())

    def test_broken_pipe(self):
        big = "".join(f"func.func private @f{i}()\n" for i in range(20000))
        command = f"{Path(sys.executable).parent}/hexmlir-opt | head -1"
        done = subprocess.run(["bash", "-c", command], input=big.encode(), capture_output=True)
        assert done.stdout == b"module {\n"
        assert done.stderr == b""

    def test_ctrl_c(self):
        tool = Path(sys.executable).parent / "hexmlir-opt"
        pipe = subprocess.PIPE
        process = subprocess.Popen([tool], stdin=pipe, stdout=pipe, stderr=pipe)
        time.sleep(1)  # it now waits for standard input
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == -signal.SIGINT
        assert err == b""

    def test_debug_shows_the_traceback(self, add):
        quiet, loud = call_opt(add, "--no-such"), call_opt(add, "--no-such", "--debug")
        assert "Traceback" not in quiet.err
        assert "Traceback" in loud.err and quiet.err in loud.err
