"""The two places where a program has expressions, which PyTorch evaluates as Python: sizes, and conditions on sizes."""

from __future__ import annotations

import ast
import re

from hexagon_mlir.frontend.torch.archive.refusal import Refused

_SYMPY = frozenset({
    "Abs", "Add", "And", "Equality", "Float", "GreaterThan", "Integer", "LessThan", "Max", "Min", "Mul", "Not", "Or",
    "Pow", "Rational", "StrictGreaterThan", "StrictLessThan", "Symbol", "Unequality", "ceiling", "floor"})
_TORCH = frozenset({
    "CeilDiv", "CeilToInt", "CleanDiv", "FloatPow", "FloatTrueDiv", "FloorDiv", "FloorToInt", "Identity", "IntTrueDiv",
    "IsNonOverlappingAndDenseIndicator", "LShift", "Mod", "ModularIndexing", "PowByNatural", "PythonMod", "RShift",
    "RoundDecimal", "RoundToInt", "ToFloat", "TruncToFloat", "TruncToInt", "Where"})
_FUNCTIONS = _SYMPY | _TORCH | {"Eq", "Ge", "Gt", "Le", "Lt", "Ne", "TrueDiv", "max", "min"}
_VALUES = frozenset({"inf", "int_oo", "oo", "true", "false"})
_ATTRIBUTES = {
    "math": frozenset({"ceil", "floor", "inf", "isnan", "sqrt", "trunc"}),
    "torch": frozenset({"sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt"})}
_OF_INPUTS = frozenset({"dim", "ndim", "shape", "size", "storage_offset", "stride"})
_SYMBOL = re.compile(r"[a-z]{1,3}\d+")
_NUMBER = re.compile(r"[-+]?[\d.]{1,40}(e[-+]?\d{1,3})?|[-+]?inf|nan")
_POWERS = frozenset({"FloatPow", "LShift", "Pow", "PowByNatural"})
_EXTREMES = frozenset({"Max", "Min", "max", "min"})
_EXPONENT = re.compile(r"-?\d{1,2}|Integer\(-?\d{1,2}\)|Rational\(-?\d{1,2}, \d{1,2}\)")
_MOST_COMPARED = 32
"""PyTorch computes what it reads: hours for ``9**9**9``, minutes for the maximum of 300 sizes."""
_NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.operator, ast.unaryop, ast.cmpop,
          ast.boolop, ast.Load, ast.keyword)
UNSAFE = re.compile(r"""["'\\]""")
"""What ends a string in Python source: not in names and texts, which PyTorch puts into strings of source."""


def check_size(text: str) -> None:
    """Refuse ``text`` unless it is an expression of numbers, symbols such as ``s0``, and functions of sizes."""
    _check(text, of_inputs=False)


def check_condition(text: str) -> None:
    """As `check_size`, of a condition on the inputs, such as ``L['x'].size()[0] % 2 == 0``."""
    _check(text, of_inputs=True)


def _check(text: str, of_inputs: bool) -> None:
    known = text.isprintable() and "#" not in text and "\\" not in text
    try:
        tree = ast.parse(text, mode="eval") if known else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or not all(_allowed(node, of_inputs) for node in ast.walk(tree)):
        raise Refused(f"'{text[:60]}' is no expression of sizes")
    if not _is_short(tree):
        raise Refused(f"'{text[:60]}' could keep PyTorch busy for ever")


def _is_short(tree: ast.Expression) -> bool:
    """Whether exponents are small constants, no power is raised to one, and few values are compared."""
    nodes = list(ast.walk(tree))
    powers = [node for node in nodes if _is_power(node)]
    compared = sum(len(node.args) for node in nodes
                   if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _EXTREMES)
    return compared <= _MOST_COMPARED and all(map(_is_small, powers))


def _is_power(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.Pow() | ast.LShift()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _POWERS
    return False


def _is_small(power: ast.AST) -> bool:
    match power:
        case ast.BinOp(left=base, right=exponent) | ast.Call(args=[base, exponent], keywords=[]):
            return (_EXPONENT.fullmatch(ast.unparse(exponent)) is not None
                    and not any(map(_is_power, ast.walk(base))))
    return False


def _allowed(node: ast.AST, of_inputs: bool) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | None):
            return True
        case ast.Constant(value=str() as text):
            return not UNSAFE.search(text) if of_inputs else bool(_SYMBOL.fullmatch(text) or _NUMBER.fullmatch(text))
        case ast.Name(id=name):
            return (name in _FUNCTIONS | _VALUES or bool(_SYMBOL.fullmatch(name))
                    or (of_inputs and (name == "L" or name in _ATTRIBUTES)))
        case ast.Attribute(value=ast.Name(id="math" | "torch" as module), attr=name):
            return of_inputs and name in _ATTRIBUTES[module]
        case ast.Attribute(attr=name):
            return of_inputs and name in _OF_INPUTS
        case ast.Subscript():
            return of_inputs
        case ast.Call(func=ast.Name(id=name)):
            return name in _FUNCTIONS
        case ast.Call(func=ast.Attribute()):
            return of_inputs
    return isinstance(node, _NODES)
