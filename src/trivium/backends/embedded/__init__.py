"""SQLite, Tantivy and a vector file in one folder: the default backend."""
