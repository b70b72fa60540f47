-- The system of record of one collection. What is committed here is never lost; the text
-- and vector indexes beside it catch up from it. `seq` counts batches.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  text_key BLOB NOT NULL,
  masked INTEGER NOT NULL,
  failure TEXT NOT NULL,
  seq INTEGER NOT NULL
);

CREATE TABLE skipped (path TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;

-- Columns that start with a_ are the attributes filters look at, folded to lower case.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  node_id TEXT NOT NULL UNIQUE,
  file INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  body TEXT NOT NULL,
  a_kind TEXT NOT NULL,
  a_type TEXT,
  a_lang TEXT,
  a_ext TEXT,
  a_path TEXT,
  a_domain TEXT,
  a_name TEXT,
  a_tag TEXT
);
CREATE INDEX nodes_by_file ON nodes (file);

CREATE TABLE edges (
  file INTEGER NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  weight REAL NOT NULL,
  context TEXT NOT NULL
);
CREATE INDEX edges_by_file ON edges (file);
CREATE INDEX edges_by_source ON edges (source);
CREATE INDEX edges_by_target ON edges (target);

-- Numbers are never used twice: a changed chunk is a new row, so a number always means
-- the same text, whichever state of the index a reader holds.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk_id TEXT NOT NULL UNIQUE,
  node INTEGER NOT NULL,
  file INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  key BLOB NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX chunks_by_file ON chunks (file);
CREATE INDEX chunks_by_node ON chunks (node);
CREATE INDEX chunks_by_key ON chunks (key);
CREATE INDEX chunks_by_seq ON chunks (seq);

CREATE TABLE removed (chunk INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
