"""all-MiniLM-L6-v2 as 8-bit ONNX: model.onnx, tokenizer.json. Data only."""
