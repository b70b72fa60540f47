"""Source code -> symbols: one reader of syntax trees, one small table per language."""
