-- Texts and vectors by content, shared by the collections of one repository.
CREATE TABLE texts (key BLOB PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL,
  key BLOB NOT NULL,
  scale REAL NOT NULL,
  int8 BLOB NOT NULL,
  UNIQUE (model, key)
);

-- Which collections keep their texts here, so that what none of them needs can be dropped.
CREATE TABLE users (folder TEXT PRIMARY KEY) WITHOUT ROWID;
