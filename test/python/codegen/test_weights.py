"""The layout of weights files, which constants go there, and names of functions in objects."""

import struct

import numpy as np
import pytest

from hexagon_mlir.codegen.artifacts.symbols import own_names
from hexagon_mlir.codegen.artifacts.weights import lay_out, take_weights
from hexagon_mlir.ir import HexError, parse, to_text


class TestLayout:
    def test_tensors_are_aligned_and_readable_behind(self):
        tensors = [np.arange(3, dtype=np.int8), np.zeros((0, 4), np.float32), np.array(2.5),
                   np.ones((2, 70), np.float16)]
        weights = lay_out(tensors, 128)
        data = b"".join(map(bytes, weights.chunks()))
        assert weights.offsets == (128, 256, 256, 384) and len(data) == weights.nbytes == 1024
        assert struct.unpack_from("<4sIQ", data) == (b"HXW1", 1024, weights.key)
        for tensor, offset in zip(tensors, weights.offsets, strict=True):
            assert data[offset : offset + tensor.nbytes] == tensor.tobytes()
        assert data[3 + 128 : 256] == bytes(125)

    def test_the_key_tells_contents_apart(self):
        contents = ([1, 2, 3], [1, 2, 4], [3, 2, 1])
        keys = {lay_out([np.array(c, np.int32)], 128).key for c in contents}
        assert len(keys) == 3 and 0 not in keys
        assert lay_out([np.array([1, 2, 3], np.int32)], 128).key in keys

    def test_more_than_32_bits_can_address(self):
        huge = np.broadcast_to(np.zeros(1, np.uint8), (1 << 32,))

        class Sized:
            nbytes = 1 << 32
            reshape = staticmethod(lambda _: huge[:0])

        with pytest.raises(HexError, match="do not fit the chip's 32-bit addresses"):
            lay_out([Sized()], 128)


def function(constant: str, type_: str, name: str = "f", words: str = "") -> str:
    return (f"func.func {words}@{name}(%x: {type_}) -> {type_} {{\n  %c = arith.constant {constant} : {type_}\n"
            f"  return %c : {type_}\n}}\n")


class TestConstants:
    @pytest.mark.parametrize("element", ["f16", "f32", "f64", "i8", "i16", "i32", "i64"])
    def test_large_ones_become_arguments(self, element):
        point = ".0" if element[0] == "f" else ""
        module = parse(function(f"dense<[[1{point}, -2{point}], [3{point}, 4{point}]]>", f"tensor<2x2x{element}>"))
        value, = take_weights(module, None, least_bytes=4)
        np.testing.assert_array_equal(value, [[1, -2], [3, 4]])
        assert f"@f(%arg0: tensor<2x2x{element}>, %arg1: tensor<2x2x{element}>)" in to_text(module)
        assert "arith.constant" not in to_text(module) and module.operation.verify()

    @pytest.mark.parametrize("source", [
        function("dense<1.0>", "tensor<99xf32>"), function("dense<[1.0, 2.0]>", "tensor<2xbf16>"),
        function("dense<[true, false]>", "tensor<2xi1>"), function("dense<[1, 2]>", "tensor<2xi32>", words="private "),
        function("dense<[1, 2]>", "tensor<2xi32>") + function("dense<[1, 2]>", "tensor<2xi32>", "g"),
        "func.func private @f(tensor<2xi32>)\n"], ids=["splat", "bf16", "i1", "private", "two", "declared"])
    def test_what_stays(self, source):
        module = parse(source)
        before = to_text(module)
        assert take_weights(module, None, least_bytes=1) == [] and to_text(module) == before

    def test_by_name_with_attributes_and_only_from_a_size_on(self):
        large = "tensor<2xi32>"
        text = (f"func.func @f(%x: {large} {{bufferization.writable = true}}) -> {large} {{\n"
                f"  %c = arith.constant dense<[1, 2]> : {large}\n  return %c : {large}\n}}\n"
                + function("dense<[1, 2]>", large, "g"))
        assert take_weights(parse(text), "f", least_bytes=9) == []
        module = parse(text)
        assert len(take_weights(module, "f", least_bytes=8)) == 1
        assert "@f(%arg0: tensor<2xi32> {bufferization.writable = true}, %arg1: tensor<2xi32>)" in to_text(module)


class TestNames:
    TEXT = ("define void @f(ptr %0) !dbg !3 {\n  call void @g(ptr @g)\n  call void @gg(ptr %0)\n"
            "  call void @free(ptr @c)\n}\n"
            "define internal void @g(ptr %0) {\n}\ndefine void @gg(ptr %0) {\n}\ndeclare void @free(ptr)\n")

    def test_defined_functions_are_the_kernels_own(self):
        expected = (self.TEXT.replace("@gg(", "@f.gg(").replace("@g(", "@f.g(").replace("ptr @g)", "ptr @f.g)"))
        assert own_names(self.TEXT, "f") == expected

    def test_the_entry_can_be_renamed(self):
        text = own_names(self.TEXT, "f", "model_f")
        assert "define void @model_f(" in text and "@model_f.gg(" in text and "@free(ptr @c)" in text
