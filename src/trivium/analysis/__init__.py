"""Text -> terms: one code path for writing and for asking. Pure."""
