"""Generated, minified, vendored and test files are told from what people wrote, and false friends
are left alone."""

from __future__ import annotations

import pytest

from trivium.parsing.marks import marks

GENERATED = ("generated",)
MINIFIED = ("minified",)
VENDORED = ("vendored",)
TEST = ("test",)
NONE: tuple[str, ...] = ()
ALL = {"generated", "minified", "vendored", "test"}

CODE = "value = compute(first, second)\n" * 20
# As minifiers write: one line, hardly a blank.
DENSE = "!function(e,t){var n=e.a,r=t.b;return n(r)}(x,y);" * 40


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("node_modules/left-pad/index.js", VENDORED),
        ("web/vendor/jquery.js", VENDORED),
        ("vendor/github.com/pkg/errors/errors.go", VENDORED),
        ("third_party/zlib/inflate.c", VENDORED),
        ("src/pip/_vendor/six.py", VENDORED),
        ("ios/Pods/Alamofire/Source/Session.swift", VENDORED),
        ("env/lib/python3.11/site-packages/six.py", VENDORED),
        ("packages/app/dist/index.js", VENDORED),
        (".yarn/releases/yarn-4.4.1.cjs", VENDORED),
        ("static/jquery-3.6.0.js", VENDORED),
        ("static/jquery-ui-1.13.2.css", VENDORED),
        ("static/bootstrap.bundle.js", VENDORED),
        ("static/d3.v7.js", VENDORED),
        ("gradlew", VENDORED),
        ("gradlew.bat", VENDORED),
        ("build-aux/config.guess", VENDORED),
        ("src/sqlite3.c", VENDORED),
        ("deps/hiredis/sds.c", VENDORED),
        # Whole names of folders, and libraries with a version.
        ("src/vendor-portal/api.py", NONE),
        ("src/vendors_list.py", NONE),
        ("pkg/pods/list.go", NONE),
        ("src/distribution/send.py", NONE),
        ("src/dist.py", NONE),
        ("src/deps/inject.py", NONE),
        ("src/external/client.py", NONE),
        ("src/react.js", NONE),
        ("src/chart.js", NONE),
        ("src/bootstrap.php", NONE),
        ("src/jquery_adapter.py", NONE),
    ],
)
def test_code_of_others_is_known_by_its_place_or_name(path: str, expected: tuple[str, ...]) -> None:
    assert marks(path, CODE) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/unit/test_api.py", TEST),
        ("src/api/test_client.py", TEST),
        ("src/api/client_test.py", TEST),
        ("app/tests.py", TEST),
        ("conftest.py", TEST),
        ("pkg/server/server_test.go", TEST),
        ("pkg/server/testdata/golden.txt", TEST),
        ("src/components/__tests__/Button.jsx", TEST),
        ("src/components/Button.spec.ts", TEST),
        ("src/components/Button.test.tsx", TEST),
        ("src/types.test-d.ts", TEST),
        ("cypress/integration/login.js", TEST),
        ("spec/models/user_spec.rb", TEST),
        ("spec/support/factories.rb", TEST),
        ("src/test/java/org/acme/Helper.java", TEST),
        ("src/main/java/org/acme/UserServiceTest.java", TEST),
        ("src/org/acme/UserServiceIT.java", TEST),
        ("src/org/acme/ParserSpec.scala", TEST),
        ("Acme.Billing.Tests/InvoiceShould.cs", TEST),
        ("Acme/InvoiceTests.cs", TEST),
        ("Tests/AppTests/LoginTests.swift", TEST),
        ("src/parser/tests.rs", TEST),
        ("absl/log/flags_test.cc", TEST),
        ("base/string_unittest.cc", TEST),
        ("test/user_test.exs", TEST),
        ("R/test-model.R", TEST),
        ("t/basic.t", TEST),
        ("install.bats", TEST),
        ("src/fixtures/users.json", TEST),
        # False friends.
        ("latest.py", NONE),
        ("contest/rules.py", NONE),
        ("contest.py", NONE),
        ("attest.go", NONE),
        ("Latest.java", NONE),
        ("Contest.cs", NONE),
        ("docs/spec.md", NONE),
        ("spec/openapi.yaml", NONE),
        ("specs/protocol.md", NONE),
        ("docs/test_plan.md", NONE),
        ("docs/testing.md", NONE),
        ("src/testimonials.py", NONE),
        ("src/protest.rb", NONE),
        ("src/inspector.ts", NONE),
        ("src/specification.java", NONE),
        ("src/SUBMIT.java", NONE),
        ("src/EDIT.java", NONE),
        ("ab_test.py", NONE),
        ("src/ab-test-assign.ts", NONE),
        # What ships to help others test is no test: a package called testing.
        ("numpy/testing/utils.py", NONE),
        ("src/testing/testing.go", NONE),
        ("fastapi/testclient.py", NONE),
    ],
)
def test_tests_are_known_by_their_place_or_name(path: str, expected: tuple[str, ...]) -> None:
    assert marks(path, CODE) == expected


@pytest.mark.parametrize(
    "path",
    [
        "api/user.pb.go",
        "api/user_pb2.py",
        "api/user_pb2_grpc.py",
        "api/user_pb.d.ts",
        "api/user.pb.cc",
        "lib/model.g.dart",
        "lib/model.freezed.dart",
        "Form1.Designer.cs",
        "Resources.designer.cs",
        "src/schema.generated.ts",
        "src/routes.gen.ts",
        "src/__generated__/Query.ts",
        "pkg/apis/zz_generated.deepcopy.go",
        "package-lock.json",
        "Cargo.lock",
        "go.sum",
        "poetry.lock",
        "app.js.map",
        "grammar.tab.c",
        "moc_window.cpp",
        "db/schema.rb",
        "tests.snap",
    ],
)
def test_what_a_program_wrote_is_known_by_its_name(path: str) -> None:
    assert marks(path, CODE) == GENERATED


@pytest.mark.parametrize(
    "path",
    [
        "src/generator.py",
        "src/codegen.go",
        "src/pod.gen.py",
        "src/block.py",
        "src/lock.go",
        "activerecord/schema.rb",
        "src/sitemap.js",
        "src/regenerated.py",
        "docs/locks.md",
    ],
)
def test_what_only_sounds_generated_is_not(path: str) -> None:
    assert marks(path, CODE) == NONE


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n"),
        ("a.go", '// Code generated by "stringer -type=Pill"; DO NOT EDIT.\n'),
        ("a.py", "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.\n"),
        ("a.py", '"""Generated protocol buffer code."""\n'),
        ("a.py", "#!/usr/bin/env python\n# This file was automatically generated by SWIG\n"),
        ("a.js", "/**\n * @generated SignedSource<<abc>>\n */\n"),
        ("a.cs", "// <auto-generated>\n//     This code was generated by a tool.\n"),
        ("a.java", "/* AUTO-GENERATED FILE.  DO NOT MODIFY.\n */\n"),
        ("a.h", "/* Autogenerated by Thrift Compiler (0.9.1) */\n"),
        ("a.sql", "-- This file is auto-generated from the current state.\n"),
        ("a.lisp", ";; Automatically generated by ASDF\n"),
        ("a.hs", "{- This file was generated by alex -}\n"),
        ("a.txt", "#\n# This file is autogenerated by pip-compile\n#\n"),
        ("a.md", "<!-- This file is generated by typedoc. Do not edit it. -->\n"),
        ("a.rs", "//! NOTE: This module was machine-generated\n"),
        ("a.c", "\n" * 30 + "/* generated by bison 3.8 */\n"),
    ],
)
def test_what_a_program_wrote_is_known_by_a_comment_at_its_top(path: str, head: str) -> None:
    assert marks(path, head + CODE) == GENERATED


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("gen.py", 'HEADER = "// Code generated by gen. DO NOT EDIT."\n'),
        ("conf.py", "# Note that not all values are present in this\n# autogenerated file.\n"),
        ("ascii.cc", "// NOTE: The table used within this code was generated by a script.\n"),
        ("table.cc", "// BEGIN GENERATED CODE; DO NOT EDIT\n"),
        ("Config.hs", "-- DO NOT MODIFY THIS FILE: it holds the defaults.\n"),
        (
            "ids.rb",
            "# Names are built from ids that are\n# automatically generated, so.\n",
        ),
        ("guide.md", "* responses generated by the path operation\n# Generated by hand\n"),
        ("late.c", "\n" * 45 + "/* generated by bison 3.8 */\n"),
        ("long.c", "x" * 2000 + "\n/* generated by bison 3.8 */\n"),
    ],
)
def test_talk_of_generated_code_does_not_make_a_file_generated(path: str, head: str) -> None:
    assert marks(path, head + CODE) == NONE


@pytest.mark.parametrize("path", ["app.js", "app.css", "page.html", "data.json", "app.min.js"])
def test_dense_lines_are_minified(path: str) -> None:
    assert marks(path, DENSE) == MINIFIED


def test_a_name_is_enough_where_a_licence_makes_lines_short() -> None:
    assert marks("a.min.js", CODE) == MINIFIED


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app.js", CODE),
        ("notes.md", DENSE),
        ("app.py", DENSE),
        ("tiny.js", "f(" + "a," * 40 + "b)"),
        # A person's long lines have blanks.
        (
            "routes.js",
            "router.get('/a', (request, answer) => answer.send(find(1)));" * 2 + "\n",
        ),
        ("text.json", '{"text": "' + "some words of a sentence " * 20 + '"}\n'),
    ],
)
def test_long_lines_that_people_write_are_not_minified(path: str, text: str) -> None:
    assert marks(path, text * 3) == NONE


def test_a_table_on_one_line_longer_than_anyone_writes_is_minified() -> None:
    assert marks("searchindex.js", "word and word, " * 200) == MINIFIED


def test_a_bundle_that_keeps_its_licence_is_vendored() -> None:
    head = "/*! Picturefill - v2.3.1 - 2015-04-09\n* Copyright (c) 2015; Licensed MIT */\n"

    assert marks("static/picturefill.js", head + CODE) == VENDORED
    assert marks("static/picture.js", "/* Copyright (c) 2015 Acme, v1.2 */\n" + CODE) == NONE
    assert marks("static/picture.py", head + CODE) == NONE


def test_a_file_may_have_several_marks_in_a_fixed_order() -> None:
    path = "vendor/lib/tests/api.generated.js"

    assert marks(path, DENSE) == ("generated", "minified", "vendored", "test")


@pytest.mark.parametrize("path", ["", "/", "a//b", "tests/", ".test", "test", "\n", "ü/テスト.py"])
@pytest.mark.parametrize("text", ["", "\n", "\0", "generated"])
def test_odd_paths_and_texts_are_no_failure(path: str, text: str) -> None:
    assert set(marks(path, text)) <= ALL


@pytest.mark.parametrize(
    "piece", ["[", "#", "a.", "\n", "// generated ", "/*! ", " * ", "// this file ", "test_", "--"]
)
def test_repetition_is_no_trap(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    path = "/".join([piece * 50] * 20) + "/" + piece * 2000 + ".js"

    assert set(marks(path, "// generated\n" + text)) <= {
        "generated",
        "minified",
        "vendored",
        "test",
    }
