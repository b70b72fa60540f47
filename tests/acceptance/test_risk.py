"""Cases G50 and G51 of seed 001, on what parsing a file notes about its functions.

That the filters find what is noted is tested with the filters.
"""

from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, Metadata

# By the rules of risk.toml: a request, and what runs what it is given.
REQUEST = 0.6
RUNS = 0.8
FLOW = f"{REQUEST * RUNS + 0.1:.2f}"


def noted(text: str, *, path: str = "handler.js", name: str = "handle") -> Metadata:
    nodes = parse(Document(path, text)).nodes
    return next(node.metadata for node in nodes if node.name == name)


def test_g50_a_command_from_a_request() -> None:
    found = noted("function handle(req) { const cmd=req.body.cmd; exec(cmd) }\n")

    assert found["riskTags"] == ("http-input", "command-exec")
    assert found["riskCategories"] == ("input", "command")
    assert found["riskSources"] == ("req.body",)
    assert found["riskSinks"] == ("exec",)
    assert found["riskSeverity"] == "high"
    assert found["riskFlows"] == ("req.body->exec",)
    assert found["riskFlowConfidence"] == (FLOW,)
    assert FLOW == "0.58"


def test_g51_source_and_sink_on_one_line() -> None:
    found = noted("function handle(req) { eval(req.query.b) }\n")

    assert found["riskFlows"] == ("req.query->eval",)
    assert found["riskFlowConfidence"] == (FLOW,)


def test_g51_a_sanitised_variable_makes_no_flow() -> None:
    found = noted(
        "function handle(req) {\n"
        "  const s = req.query.x;\n"
        "  const t = escape(s);\n"
        "  el.innerHTML = t;\n"
        "}\n"
    )

    assert found["riskSinks"] == ("innerHTML",)
    assert "riskFlows" not in found


def test_what_one_function_does_is_not_noted_on_another() -> None:
    text = "function handle(req) { eval(req.body.a) }\nfunction other(x) { return x }\n"

    assert "riskTags" in noted(text)
    assert not any(key.startswith("risk") for key in noted(text, name="other"))


@pytest.mark.parametrize(
    ("path", "name", "text", "flow"),
    [
        (
            "handler.py",
            "handle",
            "def handle():\n    name = request.args['name']\n    os.system('rm ' + name)\n",
            "request.args->os.system",
        ),
        (
            "handler.go",
            "handle",
            'package a\n\nfunc handle(r *http.Request) {\n\tn := r.FormValue("n")\n'
            "\texec.Command(n).Run()\n}\n",
            "r.FormValue->exec.Command",
        ),
        (
            "Handler.java",
            "handle",
            "class Handler {\n  void handle(HttpServletRequest request) {\n"
            '    String c = request.getParameter("c");\n'
            "    Runtime.getRuntime().exec(c);\n  }\n}\n",
            "request.getParameter->Runtime.exec",
        ),
        (
            "handler.rs",
            "handle",
            "fn handle() {\n    let a = std::env::args().nth(1).unwrap();\n"
            "    Command::new(a).spawn();\n}\n",
            "env::args->Command::new",
        ),
    ],
)
def test_other_languages_have_rules_as_real(path: str, name: str, text: str, flow: str) -> None:
    assert noted(text, path=path, name=name)["riskFlows"] == (flow,)
