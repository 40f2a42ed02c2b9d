"""The machine as MLIR: each thread runs through its tiles, and executes the bytecode on each.

The transfers of the next tile's loads run during the work on a tile, and those of its stores during that on the next:
slots have two places, for even and odd tiles. A wait is for all transfers that a thread has started before, too: that
for the loads of a tile is one for the stores of the tile before the last, which used the same places.
"""

from __future__ import annotations

from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.handlers import handler, signature, symbol
from hexagon_mlir.bytecode.layout import field
from hexagon_mlir.bytecode.operations import COMPUTED, STORE, Form, Kind, Operation
from hexagon_mlir.bytecode.shape import Shape

ENTRY = "machine"
_CODE = f"memref<{layout.MAX_WORDS}xi32>"
_BUFFERS = f"memref<{layout.MAX_BUFFERS}xindex>"


def machine_text(shape: Shape) -> str:
    """The module of the machine: ``machine(code, buffer 0, ...)``, all of them pointers."""
    handlers = "\n".join(handler(operation, shape.arena) for operation in COMPUTED)
    return f"""#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func private @hexmlir_rt_dma_start_2d(index, index, i32, i32, i32, i32) -> i32
func.func private @hexmlir_rt_dma_wait(i32)
{handlers}
{_TRANSFERS}
{_execute(shape)}
{_run(shape)}
{_entry(shape)}"""


def _word(name: str, at: str, offset: int = 0) -> str:
    """``name`` is the word ``offset`` words after the one at index ``at``."""
    return f"""%{name}.offset = arith.constant {offset} : index
  %{name}.at = arith.addi {at}, %{name}.offset : index
  %{name}.word = memref.load %code[%{name}.at] : {_CODE}
  %{name} = arith.index_cast %{name}.word : i32 to index"""


def _words(at: str, *names: str, first: int = 0) -> str:
    return "\n  ".join(_word(name, at, first + number) for number, name in enumerate(names))


def _header(*names: str) -> str:
    return "\n  ".join(_word(name, "%zero", field(name)) for name in names)


def _constants(**values: int) -> str:
    return "\n  ".join(f"%{name} = arith.constant {value} : index" for name, value in values.items())


_TILE = "%o: index, %i: index, %r: index, %c: index, %rows: index, %columns: index, %vectors: index"
_TILE_TYPES = ", ".join(["index"] * 7)
_TRANSFERS = f"""func.func private @transfers(%code: {_CODE}, %buffers: {_BUFFERS}, %share: index, %slots: index,
    %first: index, %last: index, %parity: index, {_TILE}) -> i32
    attributes {{llvm.passthrough = ["noinline"]}} {{
  {_constants(zero=0, one=1, two=2, length=layout.INSTRUCTION_WORDS, slot_words=layout.SLOT_WORDS,
              vector=layout.VECTOR, bits=8, mask=255, tile=Kind.TILE, column=Kind.COLUMN, store=STORE.number)}
  %none = arith.constant 0 : i32
  %tag = scf.for %at = %first to %last step %length iter_args(%before = %none) -> i32 {{
  {_words("%at", "number", "slot", "buffer", "base", "stride_o", "stride_i", "stride_r", "stride_c")}
  %slot_begin = arith.muli %slot, %slot_words : index
  %slot_at = arith.addi %slots, %slot_begin : index
  %place_at = arith.addi %slot_at, %parity : index
  {_words("%place_at", "place")}
  {_words("%slot_at", "flags", first=3)}
  %kind = arith.andi %flags, %mask : index
  %half = arith.shrui %flags, %bits : index
  %shift = arith.subi %two, %half : index
  %width = arith.shli %one, %shift : index
  %in_o = arith.muli %o, %stride_o : index
  %in_i = arith.muli %i, %stride_i : index
  %in_r = arith.muli %r, %stride_r : index
  %in_c = arith.muli %c, %stride_c : index
  %sum_o = arith.addi %base, %in_o : index
  %sum_i = arith.addi %sum_o, %in_i : index
  %sum_r = arith.addi %sum_i, %in_r : index
  %element = arith.addi %sum_r, %in_c : index
  %element_byte = arith.shli %element, %shift : index
  %buffer_address = memref.load %buffers[%buffer] : {_BUFFERS}
  %there = arith.addi %buffer_address, %element_byte : index
  %place_byte = arith.muli %place, %vector : index
  %here = arith.addi %share, %place_byte : index
  %is_tile = arith.cmpi eq, %kind, %tile : index
  %is_column = arith.cmpi eq, %kind, %column : index
  %follow = arith.cmpi eq, %stride_r, %one : index
  %of_column = arith.select %follow, %rows, %one : index
  %elements = arith.select %is_column, %of_column, %columns : index
  %pieces_of_column = arith.select %follow, %one, %rows : index
  %pieces_of_others = arith.select %is_tile, %rows, %one : index
  %pieces = arith.select %is_column, %pieces_of_column, %pieces_of_others : index
  %bytes = arith.shli %elements, %shift : index
  %far = arith.shli %stride_r, %shift : index
  %row_bytes = arith.muli %vectors, %vector : index
  %row_bytes_here = arith.shrui %row_bytes, %half : index
  %near = arith.select %is_tile, %row_bytes_here, %width : index
  %is_store = arith.cmpi eq, %number, %store : index
  %to = arith.select %is_store, %there, %here : index
  %from = arith.select %is_store, %here, %there : index
  %to_stride = arith.select %is_store, %far, %near : index
  %from_stride = arith.select %is_store, %near, %far : index
  %a2 = arith.index_cast %bytes : index to i32
  %a3 = arith.index_cast %pieces : index to i32
  %a4 = arith.index_cast %to_stride : index to i32
  %a5 = arith.index_cast %from_stride : index to i32
  %started = func.call @hexmlir_rt_dma_start_2d(%to, %from, %a2, %a3, %a4, %a5)
      : (index, index, i32, i32, i32, i32) -> i32
  scf.yield %started : i32
  }}
  return %tag : i32
}}"""


def _execute(shape: Shape) -> str:
    def call(operation: Operation) -> str:
        second = "%scratch" if operation.form is Form.REDUCE else "%y"
        return (f"func.call @{symbol(operation)}(%arena, %to, %x, {second}, %z, %operand_rows, %operand_vectors, "
                f"%operand_columns, %p, %q) : {signature(shape.arena)}")

    cases = "\n  ".join(f"case {operation.number} {{ {call(operation)} scf.yield }}" for operation in COMPUTED)
    places = "\n  ".join(f"""%{name}_begin = arith.muli %{name}_slot, %slot_words : index
  %{name}_parity = arith.addi %{name}_begin, %slots_at : index
  {_word(f"{name}_place", f"%{name}_parity")}
  %{name} = arith.addi %share, %{name}_place : index""" for name in ("to", "x", "y", "z"))
    return f"""func.func private @execute(%code: {_CODE}, %arena: memref<{shape.arena}xi8, 1>, %share: index,
    %slots: index, %first: index, %last: index, %parity: index, %row_shift: index, {_TILE})
    attributes {{llvm.passthrough = ["noinline"]}} {{
  {_constants(one=1, length=layout.INSTRUCTION_WORDS, slot_words=layout.SLOT_WORDS, tile=Kind.TILE, column=Kind.COLUMN,
              lanes_shift=layout.ROW_SHIFTS[0], slot_vectors=shape.share // layout.VECTOR)}
  %scratch = arith.addi %share, %slot_vectors : index
  {_vectors("column", "%rows")}
  %slots_at = arith.addi %slots, %parity : index
  scf.for %at = %first to %last step %length {{
  {_words("%at", "number", "kind", "to_slot", "x_slot", "y_slot", "z_slot")}
  {_words("%at", "p_bits", "q_bits", first=6)}
  %p = arith.bitcast %p_bits.word : i32 to f32
  %q = arith.bitcast %q_bits.word : i32 to f32
  {places}
  %is_tile = arith.cmpi eq, %kind, %tile : index
  %is_column = arith.cmpi eq, %kind, %column : index
  %operand_rows = arith.select %is_tile, %rows, %one : index
  %operand_vectors = arith.select %is_column, %column_vectors, %vectors : index
  %operand_columns = arith.select %is_column, %rows, %columns : index
  scf.index_switch %number
  {cases}
  default {{ }}
  }}
  return
}}"""


def _vectors(name: str, elements: str) -> str:
    """``name``_vectors: the vectors of f32 that so many elements take, a multiple of two where rows are to fit f16."""
    return f"""%{name}_unit = arith.shli %one, %row_shift : index
  %{name}_rest = arith.subi %{name}_unit, %one : index
  %{name}_more = arith.addi {elements}, %{name}_rest : index
  %{name}_units = arith.shrui %{name}_more, %row_shift : index
  %{name}_per_unit = arith.subi %row_shift, %lanes_shift : index
  %{name}_vectors = arith.shli %{name}_units, %{name}_per_unit : index"""


def _run(shape: Shape) -> str:
    """A thread's tiles: those of a range of their numbers, counted with columns first."""
    def sizes(name: str, place: str) -> str:
        """The rows, columns and vectors of a row of the tile that begins at ``place``."""
        return f"""%{name}_rows_left = arith.subi %rows, %{place}r : index
  %{name}_rows = arith.minui %{name}_rows_left, %tile_rows : index
  %{name}_columns_left = arith.subi %columns, %{place}c : index
  %{name}_columns = arith.minui %{name}_columns_left, %tile_columns : index
  {_vectors(name, f"%{name}_columns")}"""

    def tile(name: str, place: str) -> str:
        """The arguments that describe it."""
        return (f"%{place}o, %{place}i, %{place}r, %{place}c, %{name}_rows, %{name}_columns, %{name}_vectors")

    transfers = f"({_CODE}, {_BUFFERS}, index, index, index, index, index, {_TILE_TYPES}) -> i32"
    arena = f"memref<{shape.arena}xi8, 1>"
    return f"""func.func private @run(%thread: index, %code: {_CODE}, %buffers_table: {_BUFFERS}, %arena: {arena})
    attributes {{llvm.passthrough = ["noinline"]}} {{
  {_constants(zero=0, one=1, two=2, lanes_shift=layout.ROW_SHIFTS[0], header=layout.HEADER_WORDS,
              length=layout.INSTRUCTION_WORDS, slot_words=layout.SLOT_WORDS, buffer_words=layout.BUFFER_WORDS,
              bytes=shape.stride, vectors=shape.stride // layout.VECTOR)}
  {_header(*layout.FIELDS[field("threads"):])}
  %arena_address = memref.extract_aligned_pointer_as_index %arena : {arena} -> index
  %before_bytes = arith.muli %thread, %bytes : index
  %before = arith.muli %thread, %vectors : index
  %share = arith.addi %arena_address, %before_bytes : index
  %buffer_table = arith.muli %buffers, %buffer_words : index
  %slots_at = arith.addi %buffer_table, %header : index
  %slot_table = arith.muli %slots, %slot_words : index
  %loads_at = arith.addi %slots_at, %slot_table : index
  %load_words = arith.muli %loads, %length : index
  %computed_at = arith.addi %loads_at, %load_words : index
  %computed_words = arith.muli %computed, %length : index
  %stores_at = arith.addi %computed_at, %computed_words : index
  %store_words = arith.muli %stores, %length : index
  %end = arith.addi %stores_at, %store_words : index
  %plane = arith.muli %row_tiles, %column_tiles : index
  %planes = arith.muli %outer, %inner : index
  %tiles = arith.muli %planes, %plane : index
  %tiles_before = arith.muli %tiles, %thread : index
  %begin = arith.divui %tiles_before, %threads : index
  %next_thread = arith.addi %thread, %one : index
  %tiles_to = arith.muli %tiles, %next_thread : index
  %stop = arith.divui %tiles_to, %threads : index
  %any = arith.cmpi ult, %begin, %stop : index
  scf.if %any {{
  %first_plane = arith.divui %begin, %plane : index
  %in_plane = arith.remui %begin, %plane : index
  %first_o = arith.divui %first_plane, %inner : index
  %first_i = arith.remui %first_plane, %inner : index
  %first_row_tile = arith.divui %in_plane, %column_tiles : index
  %first_column_tile = arith.remui %in_plane, %column_tiles : index
  %first_r = arith.muli %first_row_tile, %tile_rows : index
  %first_c = arith.muli %first_column_tile, %tile_columns : index
  {sizes("first", "first_")}
  %first_tag = func.call @transfers(%code, %buffers_table, %share, %slots_at, %loads_at, %computed_at, %zero,
      {tile("first", "first_")}) : {transfers}
  %none = arith.constant 0 : i32
  %last:7 = scf.for %tile = %begin to %stop step %one iter_args(%o = %first_o, %i = %first_i, %r = %first_r,
      %c = %first_c, %parity = %zero, %loaded = %first_tag, %stored = %none)
      -> (index, index, index, index, index, i32, i32) {{
  %no_loads = arith.cmpi eq, %loaded, %none : i32
  %awaited = arith.select %no_loads, %stored, %loaded : i32
  %must_wait = arith.cmpi ne, %awaited, %none : i32
  scf.if %must_wait {{ func.call @hexmlir_rt_dma_wait(%awaited) : (i32) -> () }}
  %odd = arith.subi %one, %parity : index
  %c_after = arith.addi %c, %tile_columns : index
  %c_ends = arith.cmpi uge, %c_after, %columns : index
  %n_c = arith.select %c_ends, %zero, %c_after : index
  %r_more = arith.addi %r, %tile_rows : index
  %r_after = arith.select %c_ends, %r_more, %r : index
  %r_ends = arith.cmpi uge, %r_after, %rows : index
  %n_r = arith.select %r_ends, %zero, %r_after : index
  %i_more = arith.addi %i, %one : index
  %i_after = arith.select %r_ends, %i_more, %i : index
  %i_ends = arith.cmpi uge, %i_after, %inner : index
  %n_i = arith.select %i_ends, %zero, %i_after : index
  %o_more = arith.addi %o, %one : index
  %n_o = arith.select %i_ends, %o_more, %o : index
  %next_tile = arith.addi %tile, %one : index
  %has_next = arith.cmpi ult, %next_tile, %stop : index
  %n_tag = scf.if %has_next -> i32 {{
    {sizes("next", "n_")}
    %next_tag = func.call @transfers(%code, %buffers_table, %share, %slots_at, %loads_at, %computed_at, %odd,
        {tile("next", "n_")}) : {transfers}
    scf.yield %next_tag : i32
  }} else {{ scf.yield %none : i32 }}
  {sizes("this", "")}
  func.call @execute(%code, %arena, %before, %slots_at, %computed_at, %stores_at, %parity, %row_shift,
      {tile("this", "")}) : ({_CODE}, {arena}, {", ".join(["index"] * 6)}, {_TILE_TYPES}) -> ()
  %store_tag = func.call @transfers(%code, %buffers_table, %share, %slots_at, %stores_at, %end, %parity,
      {tile("this", "")}) : {transfers}
  scf.yield %n_o, %n_i, %n_r, %n_c, %odd, %n_tag, %store_tag : index, index, index, index, index, i32, i32
  }}
  %stores_left = arith.cmpi ne, %last#6, %none : i32
  scf.if %stores_left {{ func.call @hexmlir_rt_dma_wait(%last#6) : (i32) -> () }}
  }}
  return
}}"""


def _entry(shape: Shape) -> str:
    names = [f"%b{number}" for number in range(layout.MAX_BUFFERS)]
    stores = "\n  ".join(f"""%place{number} = arith.constant {number} : index
  %address{number} = memref.extract_aligned_pointer_as_index {name} : memref<1xi8> -> index
  memref.store %address{number}, %buffers[%place{number}] : {_BUFFERS}""" for number, name in enumerate(names))
    arena = f"memref<{shape.arena}xi8, 1>"
    return f"""func.func @{ENTRY}(%program: memref<1xi32>, {', '.join(f'{name}: memref<1xi8>' for name in names)}) {{
  {_constants(zero=0)}
  %code = memref.reinterpret_cast %program to offset: [0], sizes: [{layout.MAX_WORDS}], strides: [1]
      : memref<1xi32> to {_CODE}
  %buffers = memref.alloc() : {_BUFFERS}
  {stores}
  {_header('threads')}
  %arena = memref.alloc() {{alignment = {layout.VECTOR} : i64}} : {arena}
  scf.forall (%thread) in (%threads) {{
    func.call @run(%thread, %code, %buffers, %arena) : (index, {_CODE}, {_BUFFERS}, {arena}) -> ()
  }}
  memref.dealloc %arena : {arena}
  memref.dealloc %buffers : {_BUFFERS}
  return
}}
"""
