"""The TCM of a model in C: one block for all kernels, and records of their first tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.dialects.kernel_memory import Tile
from hexagon_mlir.exec.tcm_plan import TcmPlan, alignment_of
from hexagon_mlir.targets import get

TCM, TILES = "tcm", "tiles"
"""Names of the model's variables."""
_DECLARATIONS = """\
/* As in hexmlir_rt.h. */
typedef struct hexmlir_rt_tile {
  void *target;
  const void *source;
  uint32_t row_bytes, rows;
  int32_t stride, tag;
} hexmlir_rt_tile;
void *hexmlir_rt_tcm_alloc(uint32_t bytes, uint32_t alignment);
void hexmlir_rt_tcm_free(void *pointer);
"""


@dataclass(frozen=True)
class TcmText:
    """C text for ``plan``; ``places`` has the C expression of each buffer's start."""

    schedule: ModelSchedule
    plan: TcmPlan
    places: Mapping[int, str]

    @property
    def _alignment(self) -> int:
        return alignment_of(get(self.schedule.target))

    def _tiles(self, step: int) -> tuple[Tile, ...]:
        """The tiles that call ``step`` begins with."""
        memory = self.schedule.kernels[self.schedule.calls[step].kernel].memory
        return memory.tiles if memory is not None else ()

    def _record(self, step: int, number: int = 0) -> str:
        """The address of the record of a tile of call ``step``: the records are in the order of the calls."""
        return f"&{TILES}[{sum(len(self._tiles(earlier)) for earlier in range(step)) + number}]"

    def declarations(self) -> list[str]:
        """The declarations before all functions."""
        return [_DECLARATIONS] if self.plan.nbytes else []

    def types(self, kernel: int) -> list[str]:
        """Types of the arguments that ``kernel`` takes besides tensors."""
        memory = self.schedule.kernels[kernel].memory
        if memory is None:
            return []
        return [*["void *"] * len(memory.tiles), *(["hexmlir_rt_tile *"] if memory.tiles else []),
                *(["void *"] if memory.arena_bytes else []),
                *(["hexmlir_rt_tile *", "uint32_t"] if memory.spare_cycles else [])]

    def begin(self) -> list[str]:
        """The statements before all calls."""
        if not self.plan.nbytes:
            return []
        lines = [f"  char *{TCM} = hexmlir_rt_tcm_alloc({self.plan.nbytes}, {self._alignment});"]
        records = []
        for step, call in enumerate(self.schedule.calls):
            for tile, offset in zip(self._tiles(step), self.plan.places[step].tiles, strict=True):
                source = f"(const char *)({self.places[call.arguments[tile.argument]]}) + {tile.offset}"
                records.append(f"    {{{TCM} + {offset}, {source}, {tile.row_bytes}, {tile.rows}, {tile.stride}, 0}},")
        return [*lines, f"  hexmlir_rt_tile {TILES}[] = {{", *records, "  };"] if records else lines

    def call(self, step: int, name: str, tensors: Sequence[str]) -> str:
        """Call number ``step``, of kernel ``name``."""
        place, memory = self.plan.places[step], self.schedule.kernels[self.schedule.calls[step].kernel].memory
        words = [*tensors]
        if memory is None and self.plan.nbytes:  # the kernel allocates TCM itself
            again = self.begin()[0].replace("char *", "", 1).strip()
            return f"  hexmlir_rt_tcm_free({TCM});\n  {name}({', '.join(words)});\n  {again}"
        if memory is not None:
            words += [f"{TCM} + {offset}" for offset in place.tiles]
            if memory.tiles:
                words.append(self._record(step))
            if memory.arena_bytes:
                words.append(TCM)
            if memory.spare_cycles:
                first = [self._record(start.step, start.first) for start in place.starts[:1]]  # the others follow
                words += [*first, f"{sum(start.count for start in place.starts)}"] if first else ["0", "0"]
        return f"  {name}({', '.join(words)});"

    def end(self) -> list[str]:
        """The statements after all calls."""
        return [f"  hexmlir_rt_tcm_free({TCM});"] if self.plan.nbytes else []
