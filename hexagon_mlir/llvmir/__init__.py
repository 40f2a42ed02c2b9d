"""LLVM IR as a data structure: parsed once, rewritten, printed once.

`Module.parse` reads what LLVM prints; a `Function` has blocks of `Instruction` records and knows definitions and users;
`rewriting.rewrite` applies a rule to instructions. No other package parses LLVM IR.
"""

from hexagon_mlir.llvmir.function import Block, Function
from hexagon_mlir.llvmir.instruction import CASTS, Instruction, renamed
from hexagon_mlir.llvmir.module import MODULE_END, Module
from hexagon_mlir.llvmir.reader import parse_line
from hexagon_mlir.llvmir.rewriting import Declarations, rewrite

__all__ = ["CASTS", "MODULE_END", "Block", "Declarations", "Function", "Instruction", "Module", "parse_line",
           "renamed", "rewrite"]
