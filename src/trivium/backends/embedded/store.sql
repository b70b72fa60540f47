-- Texts and vectors by content, shared by the collections of one repository.
CREATE TABLE texts (key BLOB PRIMARY KEY, text TEXT NOT NULL);

-- The models that vectors are of: how long these are, and how many rows their file has.
CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL UNIQUE,
  dimension INTEGER NOT NULL,
  taken INTEGER NOT NULL
);

-- A vector is the row at its place in the file of its model, times its scale.
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model INTEGER NOT NULL,
  key BLOB NOT NULL,
  scale REAL NOT NULL,
  place INTEGER NOT NULL,
  UNIQUE (model, key)
);

-- Places of rows that were dropped, for those that come.
CREATE TABLE free (model INTEGER, place INTEGER, PRIMARY KEY (model, place)) WITHOUT ROWID;

-- Which collections keep their texts here, so that what none of them needs can be dropped.
CREATE TABLE users (folder TEXT PRIMARY KEY) WITHOUT ROWID;
