"""The table of forms: text, a row for each, read by `hexagon_mlir.isa.form`."""
