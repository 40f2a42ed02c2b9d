"""ONNX files, as exported PyTorch programs: what follows is the way of every model."""
