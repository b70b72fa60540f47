"""Rankings -> one order, with reasons. Pure: values in, new values out."""
