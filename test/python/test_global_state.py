"""State of the process has a list: functions change no variables of modules but these, each with a reason."""

import ast

import pytest
from support import ROOT

ALLOWED = {
    "hexagon_mlir.codegen.compile._EXPLAINED": "who listens to compilations, of all threads, while `explaining` runs",
    "hexagon_mlir.codegen.processes.worker._workers": "processes are the process's; a fork has others",
    "hexagon_mlir.exec.sim.SESSION": "the process's; it has a lock",
    "hexagon_mlir.exec.sim._machines": "a cache of what takes long to make, used by one launch at a time",
    "hexagon_mlir.frontend.onnx.operators.registry.OPERATORS": "a table that decorators fill while modules load",
    "hexagon_mlir.frontend.torch.forward._by_content": "a cache without ownership, behind a lock",
    "hexagon_mlir.frontend.torch.forward._by_symbols": "a cache without ownership, behind a lock",
    "hexagon_mlir.frontend.torch.forward.models": "part of the API: PyTorch gives a backend no place for its models",
    "hexagon_mlir.frontend.torch.operator_search._known": "kernels of the operators of PyTorch, behind a lock",
    "hexagon_mlir.frontend.torch.registry.OURS": "a table that decorators fill while modules load",
    "hexagon_mlir.frontend.torch.tracing._entered": "what holds while Dynamo compiles, until it has",
    "hexagon_mlir.interpreter._before": "the interval at which threads switch is the process's, behind a lock",
    "hexagon_mlir.interrupts._active": "the handler of Ctrl-C is the process's",
    "hexagon_mlir.ir.text.named_files": "files whose names MLIR has: its contexts keep them as long as the process",
    "hexagon_mlir.ir.query._finders": "a cache that ends with each context of MLIR",
    "hexagon_mlir.pass_infra.upstream._managers": "a cache that ends with each context of MLIR",
    "hexagon_mlir.sim.reference.rules.STICKY": "bits of usr of the packet that the reference executes",
    "hexagon_mlir.sim.reference.rules._CHIP_RULES": "a table that decorators fill while modules load",
    "hexagon_mlir.sim.reference.rules._RULES": "a table that decorators fill while modules load",
    "hexagon_mlir.sim.semantics.registry.SEMANTICS": "a table that decorators fill while modules load",
}
"""Variable -> why it is one of the process. Caches of functions need none."""
MUTATORS = {"append", "appendleft", "add", "update", "extend", "insert", "pop", "popleft", "popitem", "clear", "remove",
            "discard", "setdefault", "move_to_end", "sort"}
PACKAGES = {"hexagon_mlir": "hexagon_mlir", "passes": "hexagon_mlir.passes", "dialects": "hexagon_mlir.dialects"}
MODULES = {".".join([package, *(part for part in file.relative_to(ROOT / folder).with_suffix("").parts
                                if part != "__init__")]): file
           for folder, package in PACKAGES.items() for file in sorted((ROOT / folder).rglob("*.py"))}
"""Name -> file."""
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def variables(tree, module):
    """Names at the level of a module: where each is defined."""
    found = {}
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        found |= {t.id: f"{module}.{t.id}" for t in targets if isinstance(t, ast.Name)}
        if isinstance(statement, ast.ImportFrom) and statement.module and statement.module.startswith("hexagon_mlir"):
            imported = {a.asname or a.name: f"{statement.module}.{a.name}" for a in statement.names}
            found |= {name: place for name, place in imported.items() if not is_module(place)}
    return found


def is_module(name):
    """Whether ``name`` is a file, or a dialect: `tensor.insert` is a function."""
    return name in MODULES or name.rpartition(".")[0] == "hexagon_mlir.ir"


def changed_by(node):
    """The name that ``node`` changes what is behind, without assigning to it; "" for none."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        place = node.func.value
    elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        place = node.value
    else:
        return ""
    return place.id if isinstance(place, ast.Name) else ""


def changed(source, module):
    """The variables of modules that functions of ``module`` change."""
    tree = ast.parse(source)
    known = variables(tree, module)
    found = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)):
        nodes = list(ast.walk(function))
        assigned = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        found |= {known.get(name, f"{module}.{name}") for name in assigned}
        found |= {known[name] for name in map(changed_by, nodes) if name in known and name not in local - assigned}
    return found


def test_what_functions_change_is_on_the_list():
    found = set().union(*(changed(file.read_text(), module) for module, file in MODULES.items()))
    assert sorted(found) == sorted(ALLOWED)


@pytest.mark.parametrize(("body", "found"), [
    ("global x; x = 1", True), ("x.append(1)", True), ("x[0] = 1", True), ("del x[0]", True), ("x.y = 1", True),
    ("x[:] += [1]", True), ("return len(x)", False), ("x = []; x.append(1)", False), ("y = x; return y", False)])
def test_changes_are_found(body, found):
    assert changed(f"x = []\ndef f():\n    {body}\n", "m") == ({"m.x"} if found else set())


def test_changes_from_other_modules_are_found():
    assert changed("from hexagon_mlir.a import x\ndef f():\n    x.add(1)\n", "m") == {"hexagon_mlir.a.x"}
