"""The translator's representation of TTIR values.

A tensor is stored without the dimensions along which it does not vary: a ``tensor<64x128xf32>`` broadcast from a row
is kept as ``tensor<128xf32>`` with ``dims=(1,)``, a splat as a scalar with ``dims=()``. Integer tensors also carry a
linear form of the index (`Linear`), booleans the box that they select (`Mask`); pointers consist of a base and a linear
form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import.ints import Int

Dims = tuple[int, ...]
IndexOf = Callable[[int], ir.Value]
"""The index (type ``index``) along a dimension, inside the body of a ``linalg.generic``."""


@dataclass(frozen=True)
class Lane:
    """A term that no stride describes: ``node[i_dims] * scale``. ``node.dims[k]`` runs along ``dims[k]`` here."""

    node: Tensor
    dims: Dims
    scale: Int = 1


@dataclass(frozen=True)
class Piece:
    """A term that is affine in the index i of ``dim`` between breakpoints, times ``scale``.

    ``value(i)`` is the term at i, ``step(i)`` its step from there on, ``end(i)`` (type ``index``, greater than i) the
    end of the piece that contains i; ``known_step`` is the step when it is the same constant in all pieces. With a
    ``divisor`` the term is ``i // divisor``.
    """

    dim: int
    value: Callable[[ir.Value], Int]
    step: Callable[[ir.Value], Int]
    end: Callable[[ir.Value], Int]
    scale: Int = 1
    known_step: int | None = None
    divisor: int | None = None


@dataclass(frozen=True)
class Linear:
    """``offset + sum(strides[d] * i_d) + sum(lanes) + sum(pieces)``, one stride per dimension, of one integer type."""

    offset: Int
    strides: tuple[Int, ...]
    lanes: tuple[Lane, ...] = ()
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class Range:
    """``low <= i_dim < high`` (type ``index``, clamped to the dimension)."""

    dim: int
    low: Int
    high: Int


@dataclass(frozen=True)
class SkewedRange:
    """``low <= i_dim < high`` where both ends (as those of `Range`) depend on the indices of dimensions ``over``."""

    dim: int
    over: Dims
    ends: Callable[[IndexOf], tuple[Int, Int]]


@dataclass(frozen=True)
class Mask:
    """A conjunction: scalar conditions (i1), ranges of indices, skewed ranges, and i1 tensors that are neither."""

    conditions: tuple[Int, ...] = ()
    ranges: tuple[Range, ...] = ()
    lanes: tuple[Lane, ...] = ()
    skewed: tuple[SkewedRange, ...] = ()


@dataclass(frozen=True)
class Tensor:
    """A TTIR tensor or scalar (``shape=()``) of integers or floats.

    ``data`` is the value over ``dims`` only: a scalar `Int` or IR value without dims, else a ranked tensor whose
    axes are ``dims`` in that order. ``data`` is None for a tensor that is computed from the index at each use:
    ``expression`` then emits the scalar at an index.

    For sorting networks: ``pairs`` is the tensor whose xor this is; ``product`` the tensor of which this has one half,
    with zeros in place of the other; ``half`` the tensor of which this is a half, without the dimension of two; ``one``
    the axis of two and the index at which this is 1 and else 0; ``padded`` the elements in memory.

    ``expanded`` has the same elements, with one dimension as two.
    """

    element: ir.Type
    shape: tuple[int, ...] = ()
    dims: Dims = ()
    data: Int | None = None
    expression: Callable[[IndexOf], ir.Value] | None = None
    linear: Linear | None = None
    mask: Mask | None = None
    pairs: Pairs | None = None
    product: Half | None = None
    half: Half | None = None
    one: tuple[int, int] | None = None
    padded: Padded | None = None
    expanded: Expanded | None = None

    @property
    def uniform(self) -> bool:
        """True when every element is the same scalar."""
        return not self.dims


@dataclass(frozen=True)
class Pairs:
    """The xor of an element and its neighbour along a dimension of two, ``step`` elements of ``node`` apart."""

    node: Tensor
    step: int


@dataclass(frozen=True)
class Half:
    """The elements of ``node`` at index ``place`` along ``axis``, which has two."""

    node: Tensor
    axis: int
    place: int


@dataclass(frozen=True)
class Padded:
    """A flat tensor of all elements in row-major order, with ``margin`` more before and after them."""

    value: ir.Value
    margin: int


@dataclass(frozen=True)
class Expanded:
    """The elements of a tensor, of whose dimension ``axis`` this has two: ``axis`` and the one after it of ``node``."""

    node: Tensor
    axis: int


@dataclass(frozen=True)
class Pointer:
    """A pointer or tensor of pointers: ``base`` plus an offset in elements, of type ``index``.

    ``base`` is a memref<1xT>, or where it differs between elements a `Tensor` of addresses (integers).
    """

    base: ir.Value | Tensor
    pointee: ir.Type
    shape: tuple[int, ...]
    linear: Linear = field(default_factory=lambda: Linear(0, ()))


@dataclass(frozen=True)
class Choice:
    """A select of pointers: ``a`` where ``condition`` (i1) holds, else ``b``."""

    condition: Tensor
    a: Pointer | Choice
    b: Pointer | Choice

    @property
    def shape(self) -> tuple[int, ...]:
        """The tensor's shape."""
        return self.condition.shape

    @property
    def pointee(self) -> ir.Type:
        """The element type of both."""
        return self.a.pointee


@dataclass(frozen=True)
class Descriptor:
    """A tensor in memory, accessed a ``block`` at a time.

    ``sizes``, ``strides`` and ``offset`` (of its first element from ``base``) are in elements, of type ``index``; with
    ``pad_nan`` (i1) elements outside read as NaN.
    """

    base: ir.Value
    pointee: ir.Type
    block: tuple[int, ...]
    sizes: tuple[Int, ...]
    strides: tuple[Int, ...]
    offset: Int = 0
    pad_nan: Int = 0
    unsigned: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """A descriptor is one value."""
        return ()

    @property
    def numbers(self) -> tuple[Int, ...]:
        """Sizes, strides and offset."""
        return (*self.sizes, *self.strides, self.offset)

    def rebuilt(self, base: ir.Value, numbers: Sequence[Int], pad_nan: Int) -> Descriptor:
        """The same with other `numbers`."""
        rank = len(self.block)
        return replace(self, base=base, sizes=tuple(numbers[:rank]), strides=tuple(numbers[rank: 2 * rank]),
                       offset=numbers[2 * rank], pad_nan=pad_nan)


Known = Tensor | Pointer | Choice | Descriptor


def varying(shape: tuple[int, ...]) -> Dims:
    """The dimensions of ``shape`` that hold more than one element."""
    return tuple(d for d, size in enumerate(shape) if size != 1)
