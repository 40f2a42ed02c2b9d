"""Imports point one way, and the MLIR bindings are imported in one place."""

import ast
import graphlib
import re
from collections import Counter
from functools import cache

import pytest
from support import ROOT

BASE = {"targets", "isa", "ir", "version", "interrupts", "settings", "interpreter", "disk_cache", "whole_files"}
PASSES = BASE | {"levels", "pass_infra", "dialects"}
PIPELINES = PASSES | {"passes"}
COMPILER = PIPELINES | {"pipelines", "llvmir", "codegen"}
RUN = COMPILER | {"sim", "exec", "display"}
ALL = RUN | {"bytecode", "frontend", "report"}

ALLOWED = {
    "targets": set(),
    "isa": {"targets"},
    "llvmir": set(),
    "interrupts": set(),
    "settings": {"ir"},
    "ir": {"interrupts"},
    "version": set(),
    "display": set(),
    "interpreter": set(),
    "whole_files": {"ir"},
    "disk_cache": set(),
    "pass_plugins": set(),
    "pass_names": {"pass_plugins", "interrupts"},
    "sim": {"targets", "isa", "interpreter", "disk_cache", "display"},
    "levels": {"ir", "dialects"},
    "pass_infra": BASE | {"levels", "pass_plugins", "pass_names"},
    "dialects": BASE,
    "passes": PASSES,
    "pipelines": PIPELINES,
    "codegen": PIPELINES | {"pipelines", "llvmir", "sim"},  # which of two programs is faster is simulated
    "exec": COMPILER | {"sim", "display"},
    "bytecode": RUN,
    "frontend": RUN | {"bytecode", "report"},  # Triton asks a driver to launch, torch.compile for something that runs
    "report": ALL,
    "api": ALL,
    "bench": ALL,
    "quantization": ALL | {"api"},
    "sweep": ALL | {"api", "bench"},
    "cli": ALL | {"api", "bench", "sweep", "pass_plugins", "pass_names"},
    "": ALL | {"api", "quantization"},
}
"""What each part may import besides itself, in the order of the parts; "" is ``hexagon_mlir/__init__.py``."""


SHARED = {"lib", "math_library"}
"""Folders of passes/ that all passes may import."""
OF_PASSES = {
    "activation_tiles": {"keep_activation_tiles"},
    "arith_legalization": {"hexagon_arith_legalization"}, "async_lowering": {"hexagon_async_lowering"},
    "async_threads": {"form_async_threads"},
    "block_loads": {"coalesce_block_loads"}, "nibbles": {"recognize_nibbles"},
    "block_products": {"form_block_products", "hexagon_block_products", "pack_block_weights"},
    "byte_interleaving": {"hexagon_byte_interleaving"},
    "contraction": {"hexagon_contraction_vectorization", "hexagon_transpose_factors"},
    "copies": {"hexagon_copy_lowering"},
    "double_buffering": {"hexagon_double_buffer_generic_s1", "hexagon_double_buffer_generic_s2",
                         "hexagon_dma_lowering"},
    "engine_convolution": {"hexagon_engine_convolution", "pack_engine_weights"},
    "engine_lowering": {"lower_engine_products", "lower_engine_tiles"},
    "few_columns": {"transpose_few_columns"},
    "fusion": {"hexagon_fusion"}, "gathers": {"form_gathers", "hexagon_gather_lowering"},
    "serialized_foralls": {"serialize_forall"}, "kernels": {"form_kernels"},
    "split_products": {"hexagon_split_products", "pack_engine_weights"},
    "layout_propagation": {"hexagon_layout_propagation"}, "loop_collapsing": {"collapse_loops"},
    "masked_copies": {"hexagon_masked_copy_lowering"},
    "matrix_engine": {"hexagon_matrix_engine", "pack_engine_weights", "form_engine_products", "hexagon_split_products",
                      "pack_word_weights", "pack_constant_weights", "recognize_nibbles",
                      "hexagon_engine_convolution", "engine_convolution", "split_products", "fold_factor_casts",
                      "separate_accumulators", "untile_products", "block_products", "activation_tiles"},
    "memory_lowering": {"hexagon_memory_lowering"},
    "outlining": {"outline_stages", "outline_similar_nests", "merge_functions"},
    "overlapped_transfers": {"overlap_transfers"},
    "pair_interleaving": {"hexagon_pair_interleaving"},
    "tcm_allocation": {"hexagon_tcm_allocation"}, "tcm_tiling": {"hexagon_tcm_tiling", "hexagon_tcm_placement"},
    "triton_import": {"triton_to_linalg"}, "vectorization": {"hexagon_vectorization"},
    "virtual_threads": {"form_virtual_threads"}, "weight_streaming": {"hexagon_weight_streaming"},
    "wide_integers": {"hexagon_wide_integers"}, "footprints": {"hexagon_shared_footprints"},
}
"""Which passes a folder of passes/ is of."""


def sources():
    """(dotted name below hexagon_mlir, file) of every module."""
    for package, folder in (("", "hexagon_mlir"), ("passes", "passes"), ("dialects", "dialects")):
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join(p for p in (package, *parts) if p and p != "__init__")
            yield name, file


MODULES = list(sources())
KNOWN = {name for name, _ in MODULES}


@cache
def imported(file):
    """(module, line) of each import statement in ``file``, those in functions included."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found += [(name, node.lineno) for name in names]
    return found


def part_of(name):
    return name.split(".")[0]


def points_back(name, module):
    """Whether ``module``, as imported by ``name``, is of a later part."""
    own, part = part_of(name), part_of(module.removeprefix("hexagon_mlir."))
    return module.startswith("hexagon_mlir.") and part not in {own, *ALLOWED[own]} and part in ALLOWED


def is_bindings(name, module):
    """Whether it is the bindings, outside of ``ir``."""
    return part_of(module) == "torch_mlir" and part_of(name) != "ir"


PASSES_OF_FILES = {f"passes.{file.stem}" for file in (ROOT / "passes").glob("[a-z]*.py")}
FOLDERS_OF_PASSES = {folder.name for folder in (ROOT / "passes").iterdir() if folder.is_dir()}


def is_a_pass(name, module):
    """Whether a pass imports another pass."""
    return part_of(name) == "passes" and module.removeprefix("hexagon_mlir.") in PASSES_OF_FILES - {name}


def is_of_other_passes(name, module):
    """Whether a pass imports from a folder of other passes: what several need is in passes/lib."""
    if part_of(name) != "passes" or name in ("passes", "passes.registry"):
        return False
    own, path = name.split(".")[1], module.removeprefix("hexagon_mlir.").split(".")
    if path[0] != "passes" or len(path) < 2 or path[1] not in FOLDERS_OF_PASSES:
        return False
    folder = path[1]
    return not (folder in SHARED or folder == own or own in OF_PASSES.get(folder, ())
                or folder in OF_PASSES.get(own, ()))


def test_every_part_is_known():
    assert {part_of(name) for name in KNOWN} <= set(ALLOWED), "say here what a new part may import"


@pytest.mark.parametrize("wrong", [points_back, is_bindings, is_a_pass, is_of_other_passes])
def test_imports(wrong):
    assert [f"{file.relative_to(ROOT)}:{line}: imports {module}" for name, file in MODULES
            for module, line in imported(file) if wrong(name, module)] == []


@pytest.mark.parametrize(("wrong", "name", "module", "found"), [
    (points_back, "ir.text", "hexagon_mlir.passes.lib", True),
    (points_back, "passes.lib.sizes", "hexagon_mlir.ir", False), (points_back, "ir.text", "hexagon_mlir.ir", False),
    (points_back, "ir.text", "json", False), (points_back, "passes.lib.sizes", "hexagon_mlir.cli.opt", True),
    (is_bindings, "passes.lib.sizes", "torch_mlir.ir", True), (is_bindings, "ir.text", "torch_mlir.ir", False),
    (is_a_pass, "passes.hexagon_fusion", "hexagon_mlir.passes.form_gathers", True),
    (is_a_pass, "passes.hexagon_fusion", "hexagon_mlir.passes.hexagon_fusion", False),
    (is_a_pass, "codegen.compile", "hexagon_mlir.passes.hexagon_fusion", False),
    (is_of_other_passes, "passes.hexagon_fusion", "hexagon_mlir.passes.gathers.uses", True),
    (is_of_other_passes, "passes.form_gathers", "hexagon_mlir.passes.gathers.uses", False),
    (is_of_other_passes, "passes.hexagon_fusion", "hexagon_mlir.passes.lib.sizes", False)])
def test_wrong_imports_are_found(wrong, name, module, found):
    assert wrong(name, module) is found


def modules_imported(file):
    """The modules of ours that ``file`` imports, anywhere but for type checks; of a package, those meant."""
    def statements(nodes):
        for node in nodes:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                yield from statements(node.orelse)
                continue
            yield node
            for part in ("body", "orelse", "finalbody", "handlers"):
                yield from statements(getattr(node, part, ()))

    for node in statements(ast.parse(file.read_text()).body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name.removeprefix("hexagon_mlir.") in KNOWN else node.module for name in inner]
        else:
            continue
        yield from (name.removeprefix("hexagon_mlir.") for name in names)


def test_no_modules_import_each_other():
    """Not on the way round either, nor within a part, nor when a function is called."""
    imports = {name: {other for other in modules_imported(file) if other in KNOWN and other != name}
               for name, file in MODULES}
    order = graphlib.TopologicalSorter(imports)
    order.prepare()  # raises CycleError, which has the circle


def test_every_name_is_used():
    """A function, class or constant that stands once in all sources is dead; a decorator may register what it is on."""
    files = [file for _, file in MODULES] + [p for d in ("bench", "scripts", "fuzz") for p in (ROOT / d).rglob("*.py")]
    words = Counter(word for file in files for word in re.findall(r"\w+", file.read_text()))
    dead = []
    for name, file in MODULES:
        for node in ast.parse(file.read_text()).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            defined = [target.id for target in targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
                defined.append(node.name)
            dead += [f"{name}.{word}" for word in defined if words[word] == 1 and not word.startswith("__")]
    assert dead == []


def test_every_module_is_used():
    """A module that only tests import is dead, or its caller was lost."""
    files = [file for _, file in MODULES] + [p for d in ("bench", "scripts", "fuzz") for p in (ROOT / d).rglob("*.py")]
    used = {module.removeprefix("hexagon_mlir.") for file in files for module, _ in imported(file)}
    found_by_name = (ROOT / "passes", ROOT / "hexagon_mlir" / "targets")
    started = {"codegen.processes.boot", "cli.hexmlir", "cli.opt", "frontend.triton.extra.libdevice",
               "ir.op_classes.linalg", "ir.op_classes.llvm"}  # by the bindings
    assert [name for name, file in MODULES if name not in used | started
            and file.name != "__init__.py" and file.parent not in found_by_name] == []
