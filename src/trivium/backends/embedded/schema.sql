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
  seq INTEGER NOT NULL,
  refs BLOB NOT NULL,
  linked INTEGER NOT NULL
);
CREATE INDEX files_by_linked ON files (linked, id);

-- Which files name what, by the hash of the name: they are linked again when it comes or goes.
CREATE TABLE mentions (key INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (key, file)) WITHOUT ROWID;

-- What the repository knows of files. Kept apart: it comes later, and outlives a changed file.
CREATE TABLE history (
  path TEXT PRIMARY KEY,
  author TEXT NOT NULL,
  modified TEXT NOT NULL,
  churn INTEGER NOT NULL
) WITHOUT ROWID;

-- Files that were passed over. Those that had to be read to know have the size and time they had.
CREATE TABLE skipped (
  path TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  size_bytes INTEGER,
  mtime_ns INTEGER
) WITHOUT ROWID;

-- Ids of nodes, which nodes, edges and chunks name by their numbers.
CREATE TABLE ids (id INTEGER PRIMARY KEY, node_id TEXT NOT NULL UNIQUE);

-- Columns that start with a_ are the attributes filters look at, folded to lower case; symbol is
-- the exact name of a node of code.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  place INTEGER NOT NULL,
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
  a_tag TEXT,
  symbol TEXT
);
CREATE INDEX nodes_by_file ON nodes (file, place);
CREATE INDEX nodes_by_symbol ON nodes (symbol) WHERE symbol IS NOT NULL;

-- Edges that parsing made are the file's own; the others come from linking, and go with it.
CREATE TABLE edges (
  file INTEGER NOT NULL,
  own INTEGER NOT NULL,
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  type INTEGER NOT NULL,
  weight REAL NOT NULL,
  context TEXT NOT NULL
);
CREATE INDEX edges_by_file ON edges (file);
CREATE INDEX edges_by_source ON edges (source);
CREATE INDEX edges_by_target ON edges (target);

-- Numbers are never used twice: a changed chunk is a new row, so a number always means
-- the same text, whichever state of the index a reader holds. A chunk's id is that of its node
-- and its place there.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  node INTEGER NOT NULL,
  place INTEGER NOT NULL,
  file INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  key BLOB NOT NULL,
  seq INTEGER NOT NULL
);
CREATE UNIQUE INDEX chunks_by_node ON chunks (node, place);
CREATE INDEX chunks_by_key ON chunks (key);
CREATE INDEX chunks_by_seq ON chunks (seq);

CREATE TABLE removed (chunk INTEGER PRIMARY KEY, seq INTEGER NOT NULL);

-- How much there is, kept by the triggers below: counting a million rows takes longer than a query.
-- Folders stand among the files and end with a slash; of chunks those count that have a text, and
-- apart from them those that are embedded.
CREATE TABLE totals (
  files INTEGER NOT NULL,
  masked INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  edges INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  embeddable INTEGER NOT NULL
);
INSERT INTO totals VALUES (0, 0, 0, 0, 0, 0);

CREATE TRIGGER file_came AFTER INSERT ON files BEGIN
  UPDATE totals SET files = files + (NEW.path NOT LIKE '%/'), masked = masked + NEW.masked;
END;
CREATE TRIGGER file_went AFTER DELETE ON files BEGIN
  UPDATE totals SET files = files - (OLD.path NOT LIKE '%/'), masked = masked - OLD.masked;
END;
CREATE TRIGGER node_came AFTER INSERT ON nodes BEGIN UPDATE totals SET nodes = nodes + 1; END;
CREATE TRIGGER node_went AFTER DELETE ON nodes BEGIN UPDATE totals SET nodes = nodes - 1; END;
CREATE TRIGGER edge_came AFTER INSERT ON edges BEGIN UPDATE totals SET edges = edges + 1; END;
CREATE TRIGGER edge_went AFTER DELETE ON edges BEGIN UPDATE totals SET edges = edges - 1; END;
CREATE TRIGGER chunk_came AFTER INSERT ON chunks BEGIN
  UPDATE totals SET chunks = chunks + (NEW.end > NEW.start), embeddable = embeddable + (NEW.key <> x'');
END;
CREATE TRIGGER chunk_went AFTER DELETE ON chunks BEGIN
  UPDATE totals SET chunks = chunks - (OLD.end > OLD.start), embeddable = embeddable - (OLD.key <> x'');
END;
