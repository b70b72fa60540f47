"""The formats that hold records, one reader each: text -> Rows. Pure."""
