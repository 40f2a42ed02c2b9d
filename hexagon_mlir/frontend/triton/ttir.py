"""Exports TTIR from Triton as generic-form text with locations, for our bindings.

Triton's MLIR is another build than ours, so IR is exchanged as text. Its printer falls back to the generic form for a
module that does not verify; the module is made invalid for the one print and valid again after it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hexagon_mlir.ir import Diagnostic, HexError, Place, captured_stderr
from hexagon_mlir.ir.text import checked

_ATTRIBUTE = "llvm.data_layout"
_INVALID = "!"  # no data layout starts so: the verifier refuses it


def generic_text(module: Any) -> str:
    """The text of a Triton ``module`` in generic form, with source locations; the module stays usable."""
    from triton._C.libtriton import ir as triton_ir

    builder = triton_ir.builder(module.context)
    module.set_attr(_ATTRIBUTE, builder.get_string_attr(_INVALID))
    try:
        text = str(module)
    finally:
        module.set_attr(_ATTRIBUTE, builder.get_string_attr(""))
    # our parser would refuse the marker for the same reason
    return text.replace(f'{_ATTRIBUTE} = "{_INVALID}"', 'tt.form = "generic"')


def optimize(module: Any) -> None:
    """Triton's own clean-up: inlining, canonical form, loop-invariant code out of loops."""
    from triton._C.libtriton import ir as triton_ir
    from triton._C.libtriton import passes

    manager = triton_ir.pass_manager(module.context)
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.ttir.add_combine(manager)
    passes.ttir.add_reorder_broadcast(manager)
    passes.common.add_cse(manager)
    passes.ttir.add_triton_licm(manager)
    passes.common.add_symbol_dce(manager)
    passes.ttir.add_loop_unroll(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    manager.run(module, "make_ttir")


_PARSE_ERROR = re.compile(r'loc\("(.*)":(\d+):(\d+)\): error: (.*)')


def generic_text_from_file(path: str) -> str:
    """Generic-form TTIR of a file in Triton's own form. Raises `HexError` when Triton cannot read it."""
    from triton._C.libtriton import ir as triton_ir

    checked(Path(path).read_bytes(), path)
    context = triton_ir.context()
    triton_ir.load_dialects(context)
    try:
        with captured_stderr() as written:
            module = triton_ir.parse_mlir_module(path, context)
            module.context = context
    except RuntimeError as error:
        found = _PARSE_ERROR.search("\n".join((str(error), *written)))
        if found is None:
            raise HexError.plain("Triton cannot read this file", file=path) from None
        place = Place(found.group(1), int(found.group(2)), int(found.group(3)))
        raise HexError(Diagnostic("error", place, "", found.group(4))) from None
    return generic_text(module)
