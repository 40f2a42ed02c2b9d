"""ONNX files, converted to exported PyTorch programs and compiled as these."""
