from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.testing.reading import reading
from trivium.types import Document, EdgeType

SOURCE = """\
-- Who may log in.
CREATE TABLE IF NOT EXISTS app.users (
  id BIGINT PRIMARY KEY,
  name VARCHAR(20) NOT NULL,
  team BIGINT REFERENCES app.teams (id)
);

CREATE UNIQUE INDEX users_by_name ON app.users (name);

CREATE OR REPLACE VIEW active AS
  SELECT u.id, count(*) FROM app.users u JOIN sessions s ON s.user_id = u.id;

-- Adds two numbers.
CREATE FUNCTION add(a integer, b integer) RETURNS integer AS $$
BEGIN
  RETURN a + b; -- CREATE TABLE fake (a int);
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER stamp BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION touch();

CREATE TYPE mood AS ENUM ('sad', 'ok');
"""


def test_what_is_created_is_found() -> None:
    assert reading("db/schema.sql", SOURCE).types == {
        "app.users": "table",
        "users_by_name": "index",
        "active": "view",
        "add": "function",
        "stamp": "trigger",
        "mood": "type",
    }


def test_a_table_has_its_columns_as_parameters() -> None:
    users = reading("db/schema.sql", SOURCE).nodes["app.users"]

    assert users.name == "users"
    assert users.metadata["params"] == ("id", "name", "team")
    assert users.metadata["paramTypes"] == ("id: BIGINT", "name: VARCHAR(20)", "team: BIGINT")
    assert users.metadata["signature"] == "CREATE TABLE IF NOT EXISTS app.users"
    assert users.description == "Who may log in."


def test_a_function_has_its_parameters_and_its_whole_text() -> None:
    add = reading("db/schema.sql", SOURCE).nodes["add"]
    text = SOURCE[add.span.start : add.span.end]

    assert text.startswith("-- Adds two numbers.")
    assert text.endswith("LANGUAGE plpgsql;")
    assert add.metadata["params"] == ("a", "b")
    assert add.metadata["signature"] == (
        "CREATE FUNCTION add(a integer, b integer) RETURNS integer"
    )


def test_views_indexes_and_foreign_keys_use_their_tables() -> None:
    read = reading("db/schema.sql", SOURCE)

    assert read.references(EdgeType.USES) == [
        "app.users > app.teams",
        "users_by_name > app.users",
        "active > app.users",
        "active > sessions",
        "stamp > users",
    ]


def test_functions_that_are_called_are_calls() -> None:
    read = reading("db/schema.sql", SOURCE)

    assert read.references(EdgeType.CALLS) == ["active > count", "stamp > touch"]


PROCEDURES = {
    "mysql": """\
CREATE PROCEDURE refill(IN amount int)
BEGIN
  UPDATE stock SET n = amount;
  IF amount > 1 THEN
    SELECT 1;
  END IF;
END;
""",
    "postgres": """\
CREATE OR REPLACE PROCEDURE refill(amount int) LANGUAGE plpgsql AS $body$
BEGIN
  CALL x('$');
END
$body$;
""",
    "transact": """\
CREATE PROCEDURE dbo.refill @amount INT
AS
BEGIN
  SELECT 1
END
GO
""",
    "delimited": """\
DELIMITER //
CREATE PROCEDURE refill()
BEGIN
  SELECT 1;
END //
DELIMITER ;
""",
}


@pytest.mark.parametrize("procedure", PROCEDURES.values(), ids=PROCEDURES)
def test_a_procedure_of_any_dialect_is_a_function_and_its_neighbours_stay(procedure: str) -> None:
    text = f"CREATE TABLE a (x int);\n{procedure}CREATE TABLE b (y int);\n"
    read = reading("p.sql", text)
    names = list(read.types)

    assert [name.rpartition(".")[2] for name in names] == ["a", "refill", "b"]
    assert [read.types[name] for name in names] == ["table", "function", "table"]
    signature = str(read.metadata(names[1])["signature"])
    assert "PROCEDURE" in signature
    assert "BEGIN" not in signature


def test_a_trigger_with_a_body_is_a_trigger() -> None:
    text = (
        "CREATE TRIGGER log AFTER INSERT ON users BEGIN\n"
        "  INSERT INTO audit VALUES (new.id);\nEND;\nCREATE TABLE b (y int);\n"
    )

    assert reading("t.sql", text).types == {"log": "trigger", "b": "table"}


@pytest.mark.parametrize(
    "other",
    [
        "INSERT INTO a VALUES (1, 'it''s; here');\n",
        "COMMENT ON TABLE a IS 'x; y';\n",
        "GRANT SELECT ON a TO someone;\n",
        "DO $$ BEGIN PERFORM 1; END $$;\n",
        "SET search_path = app;\n",
        "CREATE OPERATOR < (PROCEDURE = lt, LEFTARG = a);\n",
        "ALTER TABLE a ADD COLUMN z int;\n",
        "\\connect db\n",
        "SELEC oops FROM;\n",
    ],
)
def test_a_statement_that_creates_nothing_costs_its_neighbours_nothing(other: str) -> None:
    text = f"CREATE TABLE a (x int);\n{other}CREATE TABLE b (y int);\n{other}"

    assert reading("m.sql", text).types == {"a": "table", "b": "table"}


def test_columns_named_like_statements_stay_columns() -> None:
    text = (
        "CREATE TABLE a (\n  comment text,\n  lock int,\n  call text\n);\nCREATE TABLE b (y int);\n"
    )
    read = reading("m.sql", text)

    assert read.metadata("a")["params"] == ("comment", "lock", "call")
    assert read.types == {"a": "table", "b": "table"}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("key BLOB PRIMARY KEY, value TEXT", ("key", "value")),
        ("id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT COLLATE nocase", ("id", "text")),
        ("Id INT IDENTITY(1,1) NOT NULL, Name NVARCHAR(MAX)", ("Id", "Name")),
        ("`id` int(11) NOT NULL AUTO_INCREMENT COMMENT 'x', PRIMARY KEY (`id`)", ("id",)),
        ("a int, CONSTRAINT c FOREIGN KEY (a) REFERENCES t (a), UNIQUE (a), CHECK (a > 1)", ("a",)),
        ("\"Order\" text[] DEFAULT '{}', b timestamptz DEFAULT now()", ("Order", "b")),
    ],
)
def test_the_columns_of_every_dialect_are_named(columns: str, expected: tuple[str, ...]) -> None:
    text = f"CREATE TABLE a ({columns});\nCREATE TABLE b (y int);\n"
    read = reading("c.sql", text)

    assert read.metadata("a")["params"] == expected
    assert list(read.types) == ["a", "b"]


def test_arguments_without_a_name_are_no_parameters() -> None:
    text = "CREATE FUNCTION lpad(text, integer) RETURNS text AS $$ SELECT 1 $$ LANGUAGE sql;\n"

    assert reading("f.sql", text).metadata("lpad")["params"] == ()


@pytest.mark.parametrize(
    "pattern",
    ["PROCEDURE a(", "BEGIN x\n", "$a$ b ", "TRIGGER t\n", "INSERT INTO '\n", "CREATE ", "'", "("],
)
def test_a_hostile_text_is_one_node_and_no_wait(pattern: str) -> None:
    text = pattern * (2**20 // len(pattern))
    parsed = parse(Document("h.sql", text))

    assert parsed.nodes[0].span.end == len(text) or parsed.failure
