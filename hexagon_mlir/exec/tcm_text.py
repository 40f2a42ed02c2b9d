"""The TCM of a model in C: one block for all kernels, and records of their first tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.exec.tcm_plan import TcmPlan, alignment_of
from hexagon_mlir.targets import get

TCM, TILES = "tcm", "tiles"
"""Names of the model's variables."""
_DECLARATIONS = """\
/* As in hexmlir_rt.h. */
typedef struct hexmlir_rt_tile {
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

    def _tiled(self) -> list[int]:
        """The calls that begin with a tile, in the order of their records."""
        return [step for step, call in enumerate(self.schedule.calls)
                if (memory := self.schedule.kernels[call.kernel].memory) is not None and memory.tile is not None]

    def declarations(self) -> list[str]:
        """The declarations before all functions."""
        return [_DECLARATIONS] if self.plan.nbytes else []

    def types(self, kernel: int) -> list[str]:
        """Types of the arguments that ``kernel`` takes besides tensors."""
        memory = self.schedule.kernels[kernel].memory
        if memory is None:
            return []
        return [*(["void *", "hexmlir_rt_tile *"] if memory.tile else []), *(["void *"] if memory.arena_bytes else []),
                *(["hexmlir_rt_tile *", "void *"] if memory.spare_cycles else [])]

    def begin(self) -> list[str]:
        """The statements before all calls."""
        if not self.plan.nbytes:
            return []
        lines = [f"  char *{TCM} = hexmlir_rt_tcm_alloc({self.plan.nbytes}, {self._alignment});"]
        records = []
        for step in self._tiled():
            call = self.schedule.calls[step]
            memory = self.schedule.kernels[call.kernel].memory
            assert memory is not None and memory.tile is not None
            tile = memory.tile
            source = f"(const char *)({self.places[call.arguments[tile.argument]]}) + {tile.offset}"
            records.append(f"    {{{source}, {tile.row_bytes}, {tile.rows}, {tile.stride}, 0}},")
        return [*lines, f"  hexmlir_rt_tile {TILES}[] = {{", *records, "  };"] if records else lines

    def call(self, step: int, name: str, tensors: Sequence[str]) -> str:
        """Call number ``step``, of kernel ``name``."""
        place, memory = self.plan.places[step], self.schedule.kernels[self.schedule.calls[step].kernel].memory
        words = [*tensors]
        if memory is None and self.plan.nbytes:  # the kernel allocates TCM itself
            again = self.begin()[0].replace("char *", "", 1).strip()
            return f"  hexmlir_rt_tcm_free({TCM});\n  {name}({', '.join(words)});\n  {again}"
        tiled = self._tiled()
        if memory is not None:
            if memory.tile:
                words += [f"{TCM} + {place.tile}", f"&{TILES}[{tiled.index(step)}]"]
            if memory.arena_bytes:
                words.append(f"{TCM} + {place.arena}")
            if memory.spare_cycles:
                words += ["0", "0"] if place.starts is None else [
                    f"&{TILES}[{tiled.index(place.starts)}]", f"{TCM} + {self.plan.places[place.starts].tile}"]
        return f"  {name}({', '.join(words)});"

    def end(self) -> list[str]:
        """The statements after all calls."""
        return [f"  hexmlir_rt_tcm_free({TCM});"] if self.plan.nbytes else []
