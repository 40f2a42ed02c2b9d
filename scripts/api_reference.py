"""Writes docs/api.md from signatures, docstrings and usage texts: the public interface, nothing else.

    python scripts/api_reference.py            # writes the page
    python scripts/api_reference.py --check    # fails when the page is not current
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hexagon_mlir.cli import hexmlir, opt
from hexagon_mlir.whole_files import write_files

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
INTRODUCTION = """# The interface

What may be relied on: everything else may change. [The tutorial](tutorial.md) shows it in use.

Made by `python scripts/api_reference.py` from signatures, docstrings and usage texts.
"""
SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Compiling and running", "`import hexagon_mlir as hx` is free: the compiler is imported when it is first used.",
     ("hexagon_mlir.compile", "hexagon_mlir.CompiledKernel", "hexagon_mlir.Run", "hexagon_mlir.HexError")),
    ("Settings", "`hexagon_mlir.compile`, `torch.compile`, Triton launches and the tools take these by the same names.",
     ("hexagon_mlir.settings.Settings",)),
    ("Costs of a run", "`Run.profile`, `ModelRun.launches` and the history of launches hold them.",
     ("hexagon_mlir.sim.RunResult", "hexagon_mlir.exec.session.Trace", "hexagon_mlir.exec.session.LaunchRecord",
      "hexagon_mlir.exec.session.Session", "hexagon_mlir.exec.sim.SESSION")),
    ("PyTorch models", "`torch.compile(model, backend=\"hexagon\", options={...})` compiles what is called;\n"
     "`hexagon_mlir.compile` takes exported programs and files of them.",
     ("hexagon_mlir.frontend.torch.forward.Settings", "hexagon_mlir.frontend.torch.forward.models",
      "hexagon_mlir.CompiledModel", "hexagon_mlir.SpecializedModel", "hexagon_mlir.CompilationResult",
      "hexagon_mlir.exec.model.ModelRun", "hexagon_mlir.load")),
    ("Language models", "[What they cost](language_models.md).",
     ("hexagon_mlir.load_causal_lm", "hexagon_mlir.CausalLM()", "hexagon_mlir.frontend.llm.sampling.Sampling",
      "hexagon_mlir.frontend.llm.speed.Phase")),
    ("Quantized models", "[What they cost](models.md#quantized-models).",
     ("hexagon_mlir.quantize", "hexagon_mlir.Budget", "hexagon_mlir.Quantized",
      "hexagon_mlir.quantization.choice.Option", "hexagon_mlir.quantization.schemes.Scheme",
      "hexagon_mlir.quantization.quantizer.HexagonQuantizer()")),
    ("Triton", "A launch takes the options by name: `kernel[grid](..., threads=1)`.",
     ("hexagon_mlir.frontend.triton.activate", "hexagon_mlir.frontend.triton.compiler.HexagonOptions")),
    ("The simulator", "Runs assembly from anywhere; [how it works](simulator.md).", ("hexagon_mlir.sim.Machine()",)),
)
CONSTRUCTED = "()"
"""After a class that users construct themselves."""
COMMANDS = ("", "compile", "compile model.pt2", "run", "profile", "report", "bench", "sweep", "sim", "disassemble",
            "generate")
"""Those with a usage text, after ``hexmlir``."""


def reference() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for title, text, names in SECTIONS:
        parts += [f"## {title}", text, *(part for name in names for part in entry(name))]
    parts.append("## Command line")
    for command in COMMANDS:
        parts += [f"### {' '.join(('hexmlir', *command.split()))}",
                  _block(_printed(hexmlir.main, [*command.split(), "--help"]), "text")]
    parts += ["### hexmlir-opt", _block(_printed(opt.main, ["--help"]), "text")]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def entry(path: str) -> Iterator[str]:
    """A function, a class with its public members, or a variable."""
    module, _, name = path.removesuffix(CONSTRUCTED).rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    yield f"### {path.removesuffix(CONSTRUCTED)}"
    if inspect.isclass(thing):
        if path.endswith(CONSTRUCTED):
            yield _block(f"{name}{signature(vars(thing)['__init__'], bound=True)}", "python")
        yield from _class(thing, name)
    elif callable(thing):
        yield _block(f"{name}{signature(thing)}", "python")
        yield prose(thing)
    else:
        yield text_of(_strings(importlib.import_module(module))[name])


def _class(thing: type, name: str) -> Iterator[str]:
    is_dataclass = "__dataclass_params__" in vars(thing)
    yield prose(thing)
    fields = [row for row in _fields(thing) if is_dataclass or row[1]]
    properties = [(key, prose(value.fget)) for key, value in vars(thing).items()
                  if isinstance(value, property) and not key.startswith("_")]
    if fields or properties:
        yield "\n".join([*(f"* `{text}`{': ' if meaning else ''}{meaning}" for text, meaning in fields),
                         *(f"* `{key}` (property): {_one_line(meaning)}" for key, meaning in properties)])
    for key, value in vars(thing).items():
        static = isinstance(value, classmethod | staticmethod)
        function = value.__func__ if static else value
        if not inspect.isfunction(function) or not function.__doc__ or (key.startswith("_") and key != "__call__"):
            continue
        yield f"#### {name}.{key}"
        yield _block(f"{key}{signature(function, bound=not isinstance(value, staticmethod))}", "python")
        yield prose(function)


def _fields(thing: type) -> Iterator[tuple[str, str]]:
    """The annotated attributes of a class, its bases' first, each with the string after it."""
    for base in (each for each in reversed(thing.__mro__) if each.__module__.startswith("hexagon_mlir")):
        for statement in _tree(base).body:
            if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.target).startswith("_"):
                name = ast.unparse(statement.target)
                default = f" = {ast.unparse(statement.value)}" if statement.value is not None else ""
                yield (f"{name}: {ast.unparse(statement.annotation)}{'' if 'field(' in default else default}",
                       _one_line(text_of(_strings(base).get(name, ""))))


def _tree(thing: type) -> ast.ClassDef:
    tree = ast.parse(dedent(inspect.getsource(thing))).body[0]
    assert isinstance(tree, ast.ClassDef)
    return tree


def _strings(owner: Any) -> dict[str, str]:
    """The string after each attribute of a class or a module."""
    body = ast.parse(dedent(inspect.getsource(owner))).body
    if inspect.isclass(owner):
        body = _tree(owner).body
    found = {}
    for statement, after in pairwise(body):
        if isinstance(statement, ast.AnnAssign | ast.Assign) and isinstance(after, ast.Expr) and isinstance(
                after.value, ast.Constant):
            target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            found[ast.unparse(target)] = str(after.value.value)
    return found


def signature(function: Callable[..., Any], bound: bool = False) -> str:
    """The arguments as the source writes them, one line each where they are long; without ``self``."""
    tree = ast.parse(dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    words = tree.args
    if bound:
        (words.posonlyargs or words.args).pop(0)
    result = f" -> {ast.unparse(tree.returns)}" if tree.returns and tree.name != "__init__" else ""
    text = re.sub(r"(?<=[\w\]])=(?=\S)", " = ", ast.unparse(words))
    if len(text) + len(result) <= 90:
        return f"({text}){result}"
    parts = re.split(r", (?=\*{0,2}\w+: |\*, |\*$)", text)
    return "(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def prose(thing: Any) -> str:
    """The docstring as Markdown."""
    return text_of(inspect.getdoc(thing) or "")


def text_of(docstring: str) -> str:
    """Double backquotes are Markdown's single ones, names of pages are links."""
    return re.sub(r"\bdocs/(\w+)\.md", r"[docs/\1.md](\1.md)", inspect.cleandoc(docstring).replace("``", "`"))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _block(text: str, language: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def _printed(main: Callable[[list[str]], int], arguments: list[str]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(arguments)
    return out.getvalue()


def main() -> int:
    """Write the page, or compare with it."""
    new = reference()
    if "--check" not in sys.argv[1:]:
        write_files({PAGE: new.encode()})
    elif new != PAGE.read_text():
        print("docs/api.md is not current: run scripts/api_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
