"""Writes safetensors and GGUF files for tests."""

import json
import struct

import torch


def write_safetensors(file, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        kind = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int32: "I32",
                torch.int64: "I64"}[tensor.dtype]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + data)


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(name, value):
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, float):
        return text(name) + struct.pack("<If", 6, value)
    if isinstance(value, list):
        kind = 8 if isinstance(value[0], str) else 5
        items = b"".join(text(one) if kind == 8 else struct.pack("<i", one) for one in value)
        return text(name) + struct.pack("<IIQ", 9, kind, len(value)) + items
    return text(name) + struct.pack("<II", 4, value)


def write_gguf(file, metadata, tensors):
    """``tensors``: name -> (shape, number of the type, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(entry(*item) for item in metadata.items())
    data = b""
    for name, (shape, kind, raw) in tensors.items():
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, len(data))
        data += raw + bytes(-len(raw) % 32)
    file.write_bytes(head + bytes(-len(head) % 32) + data)
