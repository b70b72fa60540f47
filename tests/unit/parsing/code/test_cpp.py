from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def cpp(text: str, path: str = "src/a.cc") -> Reading:
    return reading(path, text)


HEADER = """\
// Queues of jobs.

#include <vector>
#include "base/job.h"

namespace acme {
namespace queue {

/// How many jobs there may be.
constexpr int kMaxJobs = 64;

/// Keeps jobs in order.
template <typename T, typename Less = std::less<T>>
class ACME_EXPORT Queue final : public Base<T>, private detail::Lock {
 public:
  explicit Queue(size_t capacity, const std::string& name = "none");
  Queue(const Queue&) = delete;
  ~Queue() override;

  // Adds one.
  void Push(T&& job, int priority = 0) LOCKS_EXCLUDED(mutex_);
  T* Front() const { return items_.front().get(); }
  static Queue Make(std::vector<std::map<int, T>> jobs) {
    Queue queue(jobs.size());
    for (auto& job : jobs) {
      if (!job.empty()) queue.Push(std::move(job), 1);
    }
    return queue;
  }
  Queue& operator=(const Queue& other);
  bool operator==(const Queue& other) const { return items_ == other.items_; }
  operator bool() const { return !items_.empty(); }

 protected:
  virtual void Grow() = 0;

 private:
  struct Entry { T job; int priority; void Clear() {} };
  void Shrink();
  std::vector<std::unique_ptr<T>> items_;
  Clock* clock_;
};

}  // namespace queue
}  // namespace acme
"""

SOURCE = """\
#include "queue.h"

namespace acme {
namespace {

int helper(int x) { return x; }

}  // namespace

static int counter = 0;

template <typename T, typename Less>
void Queue<T, Less>::Push(T&& job, int priority) {
  this->last_ = priority;
  clock_->Tick();
  auto entry = std::make_unique<Entry>(job);
  entry->Clear();
  if (priority < 0) throw std::invalid_argument("negative");
  Entry* other = new Entry();
  other->Clear();
  helper(counter);
}

Queue::Queue(size_t capacity) : capacity_(capacity), name_{"x"} {}
Queue::~Queue() {}

void Outer::Inner::Run(const std::vector<int>& xs, int (*callback)(int y)) {}

TEST(QueueTest, PopsInOrder) {
  EXPECT_EQ(1, helper(1));
}
TEST_F(QueueTest, Grows) {}

}  // namespace acme
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(int a) { return a; }\n", {"f": "function"}),
        ("int& f(int& a);\nconst Foo* g();\n", {"f": "function", "g": "function"}),
        ("class A;\nclass B {};\n", {"B": "class"}),
        ("struct A { int x; };\nunion U { int x; };\n", {"A": "struct", "U": "struct"}),
        ("enum class E : int { kA, kB };\n",
         {"E": "enum", "E.kA": "constant", "E.kB": "constant"}),
        ("class A { void f(); int x; };\n", {"A": "class", "A.f": "method"}),
        ("class A { A(); ~A(); A(int) {} };\n",
         {"A": "class", "A.A": "constructor", "A.~A": "method", "A.A~2": "constructor"}),
        ("class A { template <class T> void f(T t); template <class T> T g() { return T(); } };\n",
         {"A": "class", "A.f": "method", "A.g": "method"}),
        ("class A { struct B { void f() {} }; };\n",
         {"A": "class", "A.B": "struct", "A.B.f": "method"}),
        ("class A { bool operator<(const A& o) const; A& operator++(); void operator()(int); };\n",
         {"A": "class", "A.operator<": "method", "A.operator++": "method",
          "A.operator()": "method"}),
        ("class A { void (*callback)(int); static const int kX = 1; };\n", {"A": "class"}),
        ("namespace a::b { void f(); }\n", {"a.b": "namespace", "a.b.f": "function"}),
        ("namespace { void f() {} }\n", {"f": "function"}),
        ("inline namespace v1 { class A {}; }\n", {"v1": "namespace", "v1.A": "class"}),
        ("void A::f() {}\nint A::B::g() { return 1; }\nint* A::h() { return 0; }\n",
         {"A.f": "method", "A.B.g": "method", "A.h": "method"}),
        ("A::A(int x) : x_(x) {}\nA::~A() {}\n", {"A.A": "constructor", "A.~A": "method"}),
        ("template <typename T>\nvoid Box<T>::put(T t) {}\n", {"Box.put": "method"}),
        ("template <> struct hash<A> { size_t operator()(const A& a) const { return 1; } };\n",
         {"hash": "struct", "hash.operator()": "method"}),
        ("using Ints = std::vector<int>;\ntypedef std::map<int, int> Map;\n",
         {"Ints": "type", "Map": "type"}),
        ("template <typename T> concept Addable = requires(T a) { a + a; };\n",
         {"Addable": "type"}),
        ("std::ostream& operator<<(std::ostream& os, const A& a) { return os; }\n",
         {"operator<<": "function"}),
        ("extern \"C\" {\nvoid f(int a);\n}\n", {"f": "function"}),
        ("class API_EXPORT A : public B { void f(); };\n", {"A": "class", "A.f": "method"}),
        ("namespace a {\nACME_NAMESPACE_BEGIN\nclass A { void f(); };\nACME_NAMESPACE_END\n}\n",
         {"a": "namespace", "a.A": "class", "a.A.f": "method"}),
        ("void f() {\n  Foo x(bar);\n  auto g = [&](int y) { return y; };\n}\n",
         {"f": "function"}),
        ("auto f(int a) -> std::vector<int> { return {}; }\n", {"f": "function"}),
        ("#define CHECK_OK(x) \\\n  do { x; } while (0)\nint y;\n",
         {"CHECK_OK": "macro", "y": "variable"}),
        ("const char* s = R\"(class Fake { void nope(); };)\";\n", {"s": "constant"}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert cpp(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = (
        "void good() {}\nvoid bad() { int x = ; y( }\n"
        "class Fine { void still(); };\nvoid after() {}\n"
    )

    assert {"good", "still", "after"} <= {name.rpartition(".")[2] for name in cpp(text).types}


def test_a_member_is_named_by_namespaces_and_class() -> None:
    assert cpp(HEADER, "src/queue.hpp").types == {
        "acme": "namespace",
        "acme.queue": "namespace",
        "acme.queue.kMaxJobs": "constant",
        "acme.queue.Queue": "class",
        "acme.queue.Queue.Queue": "constructor",
        "acme.queue.Queue.Queue~2": "constructor",
        "acme.queue.Queue.~Queue": "method",
        "acme.queue.Queue.Push": "method",
        "acme.queue.Queue.Front": "method",
        "acme.queue.Queue.Make": "method",
        "acme.queue.Queue.operator=": "method",
        "acme.queue.Queue.operator==": "method",
        "acme.queue.Queue.operator bool": "method",
        "acme.queue.Queue.Grow": "method",
        "acme.queue.Queue.Entry": "struct",
        "acme.queue.Queue.Entry.Clear": "method",
        "acme.queue.Queue.Shrink": "method",
    }


def test_what_is_defined_outside_its_class_is_named_by_it() -> None:
    assert cpp(SOURCE).types == {
        "acme": "namespace",
        "acme.helper": "function",
        "acme.counter": "variable",
        "acme.Queue.Push": "method",
        "acme.Queue.Queue": "constructor",
        "acme.Queue.~Queue": "method",
        "acme.Outer.Inner.Run": "method",
        "acme.QueueTest.PopsInOrder": "function",
        "acme.QueueTest.Grows": "function",
    }


def test_a_template_is_part_of_the_signature_and_an_initialiser_is_not() -> None:
    header, source = cpp(HEADER, "src/queue.hpp"), cpp(SOURCE)

    assert header.metadata("acme.queue.Queue")["signature"] == (
        "template <typename T, typename Less = std::less<T>> class ACME_EXPORT Queue final"
        " : public Base<T>, private detail::Lock"
    )
    assert header.nodes["acme.queue.Queue"].description == "Keeps jobs in order."
    assert header.nodes["acme.queue.Queue.Push"].description == "Adds one."
    assert source.metadata("acme.Queue.Queue")["signature"] == "Queue::Queue(size_t capacity)"


def test_parameters_are_named_through_references_and_defaults() -> None:
    header, source = cpp(HEADER, "src/queue.hpp"), cpp(SOURCE)

    assert header.metadata("acme.queue.Queue.Queue")["params"] == ("capacity", "name")
    assert header.metadata("acme.queue.Queue.Push")["params"] == ("job", "priority")
    assert source.metadata("acme.Outer.Inner.Run")["params"] == ("xs", "callback")
    assert cpp("template <class... A> void f(A&&... args, int) {}\n").metadata("f")["params"] == (
        "args",
    )


def test_the_section_says_who_may_see_a_member() -> None:
    header, source = cpp(HEADER, "src/queue.hpp"), cpp(SOURCE)
    queue = "acme.queue.Queue"

    assert header.metadata(f"{queue}.Push")["exported"] is True
    assert header.metadata(f"{queue}.Make")["exported"] is True
    assert header.metadata(f"{queue}.Grow")["visibility"] == "protected"
    assert header.metadata(f"{queue}.Shrink")["visibility"] == "private"
    assert header.metadata(f"{queue}.Shrink")["exported"] is False
    assert source.metadata("acme.helper")["exported"] is False
    assert source.metadata("acme.counter")["exported"] is False


def test_a_class_is_closed_and_a_struct_open_before_the_first_section() -> None:
    found = cpp("class A { void f(); };\nstruct B { void g(); };\n")

    assert found.metadata("A.f")["exported"] is False
    assert found.metadata("B.g")["exported"] is True


def test_what_a_class_is_built_on() -> None:
    assert cpp(HEADER, "src/queue.hpp").references(EdgeType.EXTENDS) == [
        "acme.queue.Queue > Base",
        "acme.queue.Queue > detail.Lock",
    ]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = cpp(SOURCE).references(EdgeType.CALLS)

    assert "acme.Queue.Push > entry.Clear : Entry" in calls
    assert "acme.Queue.Push > other.Clear : Entry" in calls
    assert "acme.Queue.Push > std.make_unique" in calls
    assert "acme.Queue.Push > Entry" in calls
    assert "acme.QueueTest.PopsInOrder > helper" in calls


def test_what_a_function_does_is_counted() -> None:
    push = cpp(SOURCE).metadata("acme.Queue.Push")
    make = cpp(HEADER, "src/queue.hpp").metadata("acme.queue.Queue.Make")

    assert push["branches"] == 1
    assert push["throws"] == ("invalid_argument",)
    assert push["mutates"] == ("this.last_",)
    assert (make["loops"], make["branches"], make["returns"]) == (1, 1, True)
    assert make["modifiers"] == ("static",)


def test_coroutines_await_and_yield() -> None:
    text = "Task<int> f() {\n  co_await client.Get(1);\n  co_yield 2;\n  co_return 3;\n}\n"
    found = cpp(text).metadata("f")

    assert found["awaits"] == ("client.Get",)
    assert found["generator"] is True
    assert found["returns"] is True
    assert found["returnType"] == "Task<int>"


def test_an_include_imports_everything() -> None:
    assert cpp(HEADER, "src/queue.hpp").references(EdgeType.IMPORTS) == [
        " > vector.*",
        " > base/job.h.*",
    ]
