from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def c(text: str, path: str = "src/a.c") -> Reading:
    return reading(path, text)


QUEUE = """\
/* A queue of jobs. */

#include <stdlib.h>
#include "queue/job.h"

#define QUEUE_MAX 64
#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef struct queue_s {
  struct job *head;
  size_t length;
} queue_t;

typedef int (*compare_fn)(const void *left, const void *right);

enum state { IDLE, BUSY = 4 };

static const char *names[] = { "idle", "busy" };
int queue_count;

static void drop(queue_t *queue, struct job *job);

/**
 * Adds a job.
 *
 * @return how many there are
 */
int queue_push(queue_t *queue, struct job *job, char **argv, int flags[], compare_fn compare) {
  struct job *at;
  if (queue == NULL || queue->length >= QUEUE_MAX)
    return -1;
  for (at = queue->head; at != NULL; at = at->next) {
    if (compare(at, job) == 0)
      continue;
    switch (flags[0]) {
      case 1:
        break;
      default:
        log_at(at->line, "a { brace");
    }
  }
  job->next = queue->head;
  queue->length++;
  queue_count += 1;
  return MIN(queue->length, 3);
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(void) { return 1; }\n", {"f": "function"}),
        ("int f(int a);\n", {"f": "function"}),
        ("static struct p *f(int a) { return 0; }\n", {"f": "function"}),
        ("char **f(void);\nchar ***g(void) { return 0; }\n", {"f": "function", "g": "function"}),
        ("void (*signal(int sig, void (*f)(int)))(int) { return 0; }\n", {"signal": "function"}),
        ("int main(argc, argv) int argc; char **argv; { return 0; }\n", {"main": "function"}),
        ("struct a { int x; };\nunion u { int x; };\n", {"a": "struct", "u": "struct"}),
        ("struct a;\nstruct a *b(void);\n", {"b": "function"}),
        ("typedef struct { int x; } a_t;\n", {"a_t": "struct"}),
        ("typedef struct a { int x; } a_t, *a_p;\n", {"a_t": "struct"}),
        ("typedef enum { A, B } e_t;\n",
         {"e_t": "enum", "e_t.A": "constant", "e_t.B": "constant"}),
        ("enum { A = 1 };\n", {"A": "constant"}),
        ("typedef unsigned long ulong_t;\ntypedef void (*cb)(int);\n",
         {"ulong_t": "type", "cb": "type"}),
        ("#define MAX 1\n#define ADD(a, b) ((a) + (b))\n#define GUARD_H\n",
         {"MAX": "macro", "ADD": "macro"}),
        ("int a;\nstatic const int b = 1;\nchar *c = 0;\n",
         {"a": "variable", "b": "constant", "c": "variable"}),
        ("void (*handler)(int);\n", {}),
        ("#ifdef _WIN32\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
         {"f": "function", "f~2": "function"}),
        ("#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
         "int f(void);\n#ifdef __cplusplus\n}\n#endif\n",
         {"f": "function"}),
        ("extern \"C\" int f(void);\n", {"f": "function"}),
        ("#define LIST(X) \\\n  X(a) \\\n  X(b)\nint f(void) { return 0; }\n",
         {"LIST": "macro", "f": "function"}),
        ("API_EXPORT int f(int a);\n", {"f": "function"}),
        ("/* only */\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert c(text).types == expected


def test_a_conditional_that_cuts_a_statement_in_two_leaves_the_rest_alone() -> None:
    text = (
        "int before(void) { return 1; }\n"
        "int cut(int a) {\n#ifdef X\n  if (a) {\n#else\n  if (!a) {\n#endif\n    a++;\n  }\n"
        "  return a;\n}\n"
        "int after(void) { return 2; }\nint proto(int b);\n"
    )

    assert {"before", "after"} <= {name.rpartition(".")[2] for name in c(text).types}


def test_a_header_has_its_prototypes() -> None:
    text = (
        "#ifndef A_H\n#define A_H\n\n/** Starts. */\nint a_start(struct a *self, int flags);\n"
        "struct a *a_new(void);\n#if defined(A_EXTRA)\nvoid a_extra(void);\n#endif\n#endif\n"
    )
    found = c(text, "include/a.h")

    assert found.types == {"a_start": "function", "a_new": "function", "a_extra": "function"}
    assert found.nodes["a_start"].description == "Starts."
    assert found.metadata("a_start")["params"] == ("self", "flags")


def test_the_comment_above_is_the_doc() -> None:
    found = c(QUEUE)

    assert found.nodes["queue_push"].description == "Adds a job."
    assert found.nodes[""].description == "A queue of jobs."


def test_the_signature_has_no_body() -> None:
    found = c(QUEUE)

    assert found.metadata("queue_push")["signature"] == (
        "int queue_push(queue_t *queue, struct job *job, char **argv, int flags[],"
        " compare_fn compare)"
    )
    assert found.metadata("MIN")["signature"] == "#define MIN(a, b)"
    assert found.metadata("queue_t")["signature"] == "typedef struct queue_s"
    assert (
        found.metadata("drop")["signature"] == "static void drop(queue_t *queue, struct job *job)"
    )


def test_parameters_are_named_through_pointers_arrays_and_functions() -> None:
    found = c("int f(int a, char **b, int c[2], void (*d)(int e), struct s *, ...) { return 0; }\n")

    assert found.metadata("f")["params"] == ("a", "b", "c", "d")
    assert c(QUEUE).metadata("queue_push")["params"] == ("queue", "job", "argv", "flags", "compare")
    assert c("int f(void);\n").metadata("f")["params"] == ()


def test_what_a_function_does_is_counted() -> None:
    push = c(QUEUE).metadata("queue_push")

    assert (push["branches"], push["loops"], push["breaks"], push["continues"]) == (4, 1, 1, 1)
    assert push["returns"] is True
    assert push["writes"] == ("at", "queue_count")
    assert push["mutates"] == ("job.next", "queue.length")


def test_static_hides() -> None:
    found = c(QUEUE)

    assert found.metadata("queue_push")["exported"] is True
    assert found.metadata("drop")["exported"] is False
    assert found.metadata("drop")["visibility"] == "private"
    assert found.metadata("queue_push")["visibility"] == "public"


def test_an_include_imports_everything() -> None:
    found = c(QUEUE)

    assert found.references(EdgeType.IMPORTS) == [" > stdlib.h.*", " > queue/job.h.*"]
    assert found.metadata()["imports"] == ("stdlib.h", "queue/job.h")


def test_calls_are_named_and_macros_are_calls_but_a_parameter_leads_nowhere() -> None:
    assert "compare" in c(QUEUE).metadata("queue_push")["params"]  # type: ignore[operator]
    assert c(QUEUE).references(EdgeType.CALLS) == [
        "queue_push > log_at",
        "queue_push > MIN",
    ]
    assert c("void f(struct a *p) { p->ops->run(p); }\n").references(EdgeType.CALLS) == [
        "f > p.ops.run as local"
    ]


def test_types_are_used() -> None:
    uses = c(QUEUE).references(EdgeType.USES)

    assert {"queue_push > queue_t", "queue_push > compare_fn"} <= set(uses)


def test_lists_of_macros_and_values_keep_their_text_together() -> None:
    nodes = c(QUEUE).nodes

    assert nodes["QUEUE_MAX"].own == ()
    assert nodes["state.IDLE"].own == ()
    assert nodes["MIN"].own != ()
