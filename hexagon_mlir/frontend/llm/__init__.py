"""Language models that decode: from a Hugging Face folder or a GGUF file to tokens."""
