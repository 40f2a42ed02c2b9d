"""Functions the guest may call that run on the host, with the cycles the model charges for each.

An `Inline` function is LLVM IR on the argument registers; a `Callback` runs Python. Both see arguments as the
Hexagon ABI passes them: 32-bit words in r0..r5, 64-bit values in even pairs, results in r0 or r1:0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import COPIES
from hexagon_mlir.sim.host_library import libc_table
from hexagon_mlir.sim.semantics.value import F32, F64, I32, I64, Code, Type, Val

Arguments = list[Val]


@dataclass(frozen=True)
class Inline:
    """``signature`` is result then arguments: i (32-bit), l (64-bit), f (f32), d (f64), h (f16 bits), v."""

    signature: str
    emit: Callable[..., Val | None]
    cycles: int
    reason: str


@dataclass(frozen=True)
class Callback:
    """Python behind a call; `machine` keeps the implementations by name."""

    cycles: int
    reason: str


DIVISION = "shift-subtract routine of compiler-rt, about one packet per quotient bit"
LIBM = "estimate for a scalar musl routine with inline polynomial"
CHEAP = "a few packets plus call and return"
ALLOCATOR = "estimate for a free-list allocator"
RUNTIME = "estimate for a bump allocator in the runtime"
COPY = "2 HVX packets of 2 cycles per 128 bytes after 20 cycles of set-up; the cache model charges the lines"

COPY_SETUP_CYCLES, COPY_CYCLES_PER_VECTOR = 20, 4
LIBM_CYCLES = 60


def _divide(op: str, bits: int) -> Callable[[Val, Val], Val]:
    """Division by zero gives 0 (and remainder the dividend) instead of a host fault."""
    signed = op.startswith("s")

    def emit(a: Val, b: Val) -> Val:
        zero = b.icmp("eq", 0)
        bad = zero
        if signed:
            bad = zero | (b.icmp("eq", -1) & a.icmp("eq", 1 << (bits - 1)))
        result = a.bin(op, bad.select(1, b))
        if op.endswith("div"):
            return zero.select(0, result)
        return zero.select(a, bad.select(0, result))

    return emit


def _libm(name: str, ty: Type) -> Callable[..., Val]:
    def emit(*arguments: Val) -> Val:
        return arguments[0].code.call(name, ty, *arguments)

    return emit


def _intrinsic(name: str) -> Callable[..., Val]:
    def emit(*arguments: Val) -> Val:
        return arguments[0].code.intrinsic(name, arguments[0].ty, *arguments)

    return emit


def _copy(kind: str) -> Callable[..., Val]:
    """memcpy, memmove, memset on guest memory, with their lines passed to the cache model."""

    def emit(dst: Val, src: Val, count: Val) -> Val:
        code = dst.code
        code.put("%base = load ptr, ptr %st")
        if kind != "memset":
            code.put(f"call void @mm_range(ptr %st, i32 {src.name}, i32 {count.name}, i1 false)")
        code.put(f"call void @mm_range(ptr %st, i32 {dst.name}, i32 {count.name}, i1 true)")
        to = guest_pointer(code, dst)
        length = count.zext(64).two("umin", code.const(layout.SPACE_BYTES, I64) - dst.zext(64))
        if kind != "memset":
            length = length.two("umin", code.const(layout.SPACE_BYTES, I64) - src.zext(64))
        if kind == "memset":
            code.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            byte = src.trunc(8).name
            code.put(f"call void @llvm.memset.p0.i64(ptr {to}, i8 {byte}, i64 {length.name}, i1 false)")
        else:
            code.declarations.add("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
            source = guest_pointer(code, src)
            code.put(
                f"call void @llvm.memmove.p0.p0.i64(ptr {to}, ptr {source}, i64 {length.name}, i1 false)"
            )
        vectors = (length + 127).lshr(7)
        add_counter(code, "host_stall", vectors * COPY_CYCLES_PER_VECTOR)
        return dst

    return emit


def guest_pointer(code: Code, address: Val, unit: int = 1) -> str:
    """Host pointer of a guest address rounded down to ``unit``; ``%base`` must be in scope.

    Addresses at constants from one value share its pointer, `layout.MARGIN_BYTES` apart: accesses that exceed the last
    guest address stay in the mapping.
    """
    root, offset = address.distance()
    if offset % unit:
        root, offset = address, 0
    near = offset % layout.MARGIN_BYTES
    start = code.pointers.get((root.name, offset - near, unit))
    if start is None:
        low = root + (offset - near) if offset - near else root
        wide = (low & -unit if unit > 1 else low).zext(64)
        start = "%" + code.name("g")
        code.put(f"{start} = getelementptr i8, ptr %base, i64 {wide.name}")
        code.pointers[root.name, offset - near, unit] = start
    if not near:
        return start
    name = "%" + code.name("g")
    code.put(f"{name} = getelementptr i8, ptr {start}, i64 {near}")
    return name


def add_counter(code: Code, name: str, amount: Val) -> None:
    """Add an i64 to a counter of the state record."""
    pointer = "%" + code.name("c")
    code.put(f"{pointer} = getelementptr i8, ptr %st, i32 {layout.counter(name)}")
    code.store(code.load(pointer, I64) + amount, pointer)


_CHARACTERS = {
    "isalpha": ("az", "AZ"), "isdigit": ("09",), "isalnum": ("az", "AZ", "09"), "isupper": ("AZ",),
    "islower": ("az",), "isxdigit": ("09", "af", "AF"), "isspace": ("  ", "\t\r"), "isblank": ("  ", "\t\t"),
    "isprint": (" ~",), "isgraph": ("!~",), "ispunct": ("!/", ":@", "[`", "{~"), "iscntrl": ("\0\x1f", "\x7f\x7f"),
}  # fmt: skip
"""Ranges of <ctype.h> in the C locale, first and last character."""


def _within(value: Val, span: str) -> Val:
    return (value - ord(span[0])).icmp("ule", ord(span[1]) - ord(span[0]))


def _in_ranges(ranges: tuple[str, ...]) -> Callable[[Val], Val]:
    def emit(value: Val) -> Val:
        found = _within(value, ranges[0])
        for span in ranges[1:]:
            found = found | _within(value, span)
        return found.zext(32)

    return emit


def _shift_case(span: str, distance: int) -> Callable[[Val], Val]:
    return lambda value: _within(value, span).select(value + distance, value)


def _half_to_float(bits: Val) -> Val:
    return bits.trunc(16).as_(Type(1, "f", 16)).fpext(32)


def _float_to_half(value: Val) -> Val:
    return value.fptrunc(16).as_(Type(1, "i", 16)).zext(32)


def _float_to_bf16(value: Val) -> Val:
    bits = value.as_(I32)
    rounded = (bits + ((bits.lshr(16) & 1) + 0x7FFF)).lshr(16)
    return value.fcmp("uno", value).select(bits.lshr(16) | 0x40, rounded)


def _inline() -> dict[str, Inline]:
    table: dict[str, Inline] = {}
    for name, op in (("div", "sdiv"), ("udiv", "udiv"), ("mod", "srem"), ("umod", "urem")):
        for suffix, bits, letter, cycles in (("si3", 32, "i", 40), ("di3", 64, "l", 80)):
            table[f"__hexagon_{name}{suffix}"] = Inline(letter * 3, _divide(op, bits), cycles, DIVISION)
    for old, new in (("divsi3", "div"), ("udivsi3", "udiv"), ("modsi3", "mod"), ("umodsi3", "umod")):
        table["__" + old] = table[f"__hexagon_{new}si3"]
    for old, new in (("divdi3", "div"), ("udivdi3", "udiv"), ("moddi3", "mod"), ("umoddi3", "umod")):
        table["__" + old] = table[f"__hexagon_{new}di3"]
    for name, letter in (("sf", "f"), ("df", "d")):
        table[f"__hexagon_div{name}3"] = Inline(
            letter * 3, lambda a, b: a.bin("fdiv", b), 30 if letter == "f" else 70,
            "about 25 dependent packets of the inline sequence (double: two Newton steps more)",
        )  # fmt: skip
    table["__hexagon_sqrtf"] = Inline("ff", _intrinsic("sqrt"), 30, "estimate: seed and two Newton steps")
    table["__hexagon_sqrtdf2"] = Inline("dd", _intrinsic("sqrt"), 80, "estimate: double Newton steps")
    table["__hexagon_fmadf4"] = Inline("dddd", _intrinsic("fma"), 60, "estimate for a soft fma")
    table["__hexagon_muldf3"] = Inline("ddd", lambda a, b: a * b, 40, "estimate for soft double multiply")
    table["__hexagon_adddf3"] = Inline("ddd", lambda a, b: a + b, 40, "estimate for soft double add")
    table["__hexagon_subdf3"] = Inline("ddd", lambda a, b: a - b, 40, "estimate for soft double subtract")
    table["__extendhfsf2"] = Inline("fi", _half_to_float, 12, CHEAP)
    table["__truncsfhf2"] = Inline("if", _float_to_half, 15, CHEAP)
    table["__truncsfbf2"] = Inline("if", _float_to_bf16, 10, CHEAP)
    table["__truncdfhf2"] = Inline(
        "id", lambda a: a.fptrunc(16).as_(Type(1, "i", 16)).zext(32), 20, CHEAP)
    table["__truncdfbf2"] = Inline("id", lambda a: _float_to_bf16(a.fptrunc(32)), 20, CHEAP)
    unary = (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "sinh", "cosh",
        "atan", "asin", "acos", "erf", "erfc", "cbrt", "asinh", "acosh", "atanh", "lgamma", "tgamma", "logb",
    )  # fmt: skip
    for name in unary:
        table[name + "f"] = Inline("ff", _libm(name + "f", F32), LIBM_CYCLES, LIBM)
        table[name] = Inline("dd", _libm(name, F64), 2 * LIBM_CYCLES, LIBM)
    for name in ("pow", "fmod", "atan2", "hypot"):
        table[name + "f"] = Inline("fff", _libm(name + "f", F32), 2 * LIBM_CYCLES, LIBM)
        table[name] = Inline("ddd", _libm(name, F64), 4 * LIBM_CYCLES, LIBM)
    rounding = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "nearbyint": "nearbyint",
                "round": "round", "roundeven": "roundeven", "sqrt": "sqrt", "fabs": "fabs"}  # fmt: skip
    for name, intrinsic in rounding.items():
        cycles = 30 if name == "sqrt" else 12
        table[name + "f"] = Inline("ff", _intrinsic(intrinsic), cycles, CHEAP)
        table[name] = Inline("dd", _intrinsic(intrinsic), 2 * cycles, CHEAP)
    for name, intrinsic in (("fmax", "maxnum"), ("fmin", "minnum"), ("copysign", "copysign")):
        table[name + "f"] = Inline("fff", _intrinsic(intrinsic), 8, CHEAP)
        table[name] = Inline("ddd", _intrinsic(intrinsic), 12, CHEAP)
    for name in ("fmaximum", "fminimum", "fmaximum_num", "fminimum_num"):
        intrinsic = name[1:].replace("_", "")
        table[name + "f"] = Inline("fff", _intrinsic(intrinsic), 10, CHEAP)
        table[name] = Inline("ddd", _intrinsic(intrinsic), 14, CHEAP)
    table["fmaf"] = Inline("ffff", _intrinsic("fma"), 10, CHEAP)
    table["fma"] = Inline("dddd", _intrinsic("fma"), 60, "estimate for a soft fma")
    table["fdimf"] = Inline("fff", _libm("fdimf", F32), 8, CHEAP)
    table["fdim"] = Inline("ddd", _libm("fdim", F64), 12, CHEAP)
    for name in ("ldexp", "scalbn"):
        table[name + "f"] = Inline("ffi", _libm(name + "f", F32), 15, CHEAP)
        table[name] = Inline("ddi", _libm(name, F64), 20, CHEAP)
    for name, ranges in _CHARACTERS.items():
        table[name] = Inline("ii", _in_ranges(ranges), 6, CHEAP)
    table["toupper"] = Inline("ii", _shift_case("az", -32), 6, CHEAP)
    table["tolower"] = Inline("ii", _shift_case("AZ", 32), 6, CHEAP)
    for name in COPIES:
        kind = name if name in ("memmove", "memset") else "memcpy"
        table[name] = Inline("iiii", _copy(kind), COPY_SETUP_CYCLES, COPY)
    return table


INLINE = _inline()

DMA_INSTRUCTIONS = ("dmstart", "dmlink", "dmpoll", "dmwait", "dmpause", "dmresume")
THREAD_FUNCTIONS = tuple(f"hexmlir_rt_thread_{name}" for name in ("create", "join", "barrier", "id"))
ASYNC_FUNCTIONS = (
    "mlirAsyncRuntimGetNumWorkerThreads",
    *(f"mlirAsyncRuntime{name}"
    for name in (
        "AddRef", "DropRef", "CreateToken", "CreateValue", "CreateGroup", "EmplaceToken", "EmplaceValue",
        "SetTokenError", "SetValueError", "IsTokenError", "IsValueError", "IsGroupError", "AwaitToken",
        "AwaitValue", "AwaitAllInGroup", "Execute", "GetValueStorage", "AddTokenToGroup",
        "AwaitTokenAndExecute", "AwaitValueAndExecute", "AwaitAllInGroupAndExecute", "PrintCurrentThreadId",
    )),
)  # fmt: skip

CALLBACKS: dict[str, Callback] = {
    "malloc": Callback(60, ALLOCATOR),
    "calloc": Callback(80, ALLOCATOR),
    "aligned_alloc": Callback(60, ALLOCATOR),
    "memalign": Callback(60, ALLOCATOR),
    "free": Callback(40, ALLOCATOR),
    "abort": Callback(0, "ends the run"),
    "hexmlir_rt_tcm_alloc": Callback(40, RUNTIME),
    "hexmlir_rt_tcm_free": Callback(30, RUNTIME),
    "hexmlir_rt_dma_start_2d": Callback(20, "estimate: a descriptor's stores, release and dmlink"),
    "hexmlir_rt_tile_start": Callback(20, "estimate: as a start; a tile that is under way costs a test"),
    "hexmlir_rt_dma_wait": Callback(10, "call and dmpoll; the wait itself counts under 'copy'"),
    **{name: Callback(0, "user-DMA instruction") for name in DMA_INSTRUCTIONS},
    layout.MATRIX_FUNCTION: Callback(0, "charged by the matrix engine's model"),
    "hexmlir_rt_engine_acquire": Callback(20, "estimate: a lock, as of a queue of tasks"),
    "hexmlir_rt_engine_release": Callback(20, "estimate: a lock, as of a queue of tasks"),
    "hexmlir_rt_engine_wait": Callback(10, "call and a poll; the wait itself counts under 'matrix-wait'"),
    **{name: Callback(0, "charged by the target's thread costs") for name in THREAD_FUNCTIONS},
    **{name: Callback(10, "a call and a few memory accesses") for name in ASYNC_FUNCTIONS},
    "hexmlir_rt_fork": Callback(10, "a call and a few stores; the target has the cost of queuing"),
    "hexmlir_rt_join": Callback(10, "a call and a few memory accesses"),
    "hexmlir_rt_copy_2d": Callback(0, "charged by size under 'copy': start + bytes / bandwidth"),
    "hexmlir_rt_cycles": Callback(0, "reads the cycle counter"),
    "hexmlir_rt_packets": Callback(0, "reads the packet counter"),
    "hexmlir_rt_ticks": Callback(0, "reads the timer"),
    "hexmlir_rt_print_i32": Callback(0, "debugging aid"),
    "hexmlir_rt_print_f32": Callback(0, "debugging aid"),
    "hexmlir_rt_print": Callback(0, "debugging aid"),
    "hexmlir_rt_assert_failed": Callback(0, "ends the run"),
    "hexmlir_rt_pointer": Callback(1, "the chip has one address space: no work"),
    **{name: Callback(cycles, libc_table.REASON) for name, cycles in libc_table.CALLS.items()},
}

_TYPES = {"i": I32, "l": I64, "f": F32, "d": F64}


def _argument(code: Code, letter: str, register: int) -> tuple[Val, int]:
    """Load one argument from the state record; gives it and the next free register."""
    wide = letter in "ld"
    if wide:
        register += register % 2
    pointer = "%" + code.name("r")
    code.put(f"{pointer} = getelementptr i8, ptr %st, i32 {layout.REGISTERS + 4 * register}")
    return code.load(pointer, _TYPES[letter], 4), register + (2 if wide else 1)


def _call_host(code: Code, index: int) -> None:
    pointer = "%" + code.name("f")
    code.put(f"{pointer} = getelementptr i8, ptr %st, i32 {layout.CALLBACK}")
    function_pointer = "%" + code.name("f")
    code.put(f"{function_pointer} = load ptr, ptr {pointer}")
    code.put(f"call void {function_pointer}(i32 {index})")


def _leave_if_trapped(code: Code) -> None:
    pointer = "%" + code.name("t")
    code.put(f"{pointer} = getelementptr i8, ptr %st, i32 {layout.TRAP}")
    trapped = code.op(f"load volatile i32, ptr {pointer}", I32).icmp("ne", 0)
    leave, go = code.name("leave"), code.name("go")
    code.put(f"br i1 {trapped.name}, label %{leave}, label %{go}")
    code.label(leave)
    code.put("ret void")
    code.label(go)


def wrapper(name: str, index: int, declarations: set[str], check: int | None = None) -> str:
    """IR of ``@"h_<name>"``: reads arguments from the state record, writes the result there."""
    code = Code(declarations)
    if name in COPIES:
        count, _ = _argument(code, "i", 2)
        large, go = code.name("large"), code.name("go")
        code.put(f"br i1 {count.icmp('ugt', layout.LARGE_BYTES).name}, label %{large}, label %{go}")
        code.label(large)
        _call_host(code, layout.LARGE_FILL if name == "memset" else layout.LARGE_COPY)
        _leave_if_trapped(code)
        code.put(f"br label %{go}")
        code.label(go)
    if check is not None:
        _call_host(code, check)
        _leave_if_trapped(code)
    if name in INLINE:
        function = INLINE[name]
        values = []
        register = 0
        for letter in function.signature[1:]:
            value, register = _argument(code, letter, register)
            values.append(value)
        result = function.emit(*values)
        if result is not None:
            pointer = "%" + code.name("r")
            code.put(f"{pointer} = getelementptr i8, ptr %st, i32 {layout.REGISTERS}")
            code.store(result, pointer, 4)
        cycles = function.cycles
    else:
        cycles = CALLBACKS[name].cycles
        _call_host(code, index)
    if cycles:
        add_counter(code, "host_stall", code.const(cycles, I64))
    body = "\n".join(code.lines)
    return f'define internal void @"h_{name}"(ptr %st) noinline {{\n{body}\n  ret void\n}}'
