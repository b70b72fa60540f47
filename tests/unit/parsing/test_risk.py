# ruff: noqa: E501 - one case on one line: what is given and what is found stand together
"""Sources, sinks and the flows between them, by language; and what must not be mistaken for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.parsing.detect import detect
from trivium.parsing.risk import may_hold_risk, risks
from trivium.parsing.risk_rules import Family, Rule, families

DOCS = Path(__file__).parents[3] / "docs" / "risk.md"
KEYS = {
    "riskTags",
    "riskCategories",
    "riskSources",
    "riskSinks",
    "riskFlows",
    "riskFlowConfidence",
    "riskSeverity",
}
RULES = [
    pytest.param(family, part, rule, id=f"{family.name} {rule.name}")
    for family in families()
    for part, rules in (("riskSources", family.sources), ("riskSinks", family.sinks))
    for rule in rules
]
SANITIZERS = [
    pytest.param(family, rule, id=f"{family.name} {rule.name}")
    for family in families()
    for rule in family.sanitizers
]


def flows(text: str, language: str) -> tuple[str, ...]:
    found = risks(text, language=language).get("riskFlows", ())
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(("family", "part", "rule"), RULES)
def test_every_rule_finds_its_example(family: Family, part: str, rule: Rule) -> None:
    language = family.languages[0]
    found = risks(rule.example, language=language)

    assert may_hold_risk(rule.example, language=language)
    names, tags = found[part], found["riskTags"]
    assert isinstance(names, tuple)
    assert isinstance(tags, tuple)
    assert rule.name in names
    assert set(rule.tags) <= set(tags)


@pytest.mark.parametrize(("family", "rule"), SANITIZERS)
def test_every_sanitizer_finds_its_example_and_clears_known_categories(
    family: Family, rule: Rule
) -> None:
    looked_at = rule.example.lower() if family.ignore_case else rule.example

    assert rule.pattern.search(rule.example) is not None
    assert any(word in looked_at for word in rule.words)
    assert (rule.clears or frozenset()) <= {
        one.category for family in families() for one in family.sinks
    }


@pytest.mark.parametrize(("family", "part", "rule"), RULES)
def test_every_rule_is_complete(family: Family, part: str, rule: Rule) -> None:
    assert 0 < rule.confidence <= 1
    assert rule.severity in ("low", "medium", "high")
    assert rule.category
    assert rule.tags
    assert rule.words
    if family.ignore_case:
        assert all(word == word.lower() for word in rule.words)
    if part == "riskSources":
        assert rule.severity == "low"


def test_every_family_names_languages_that_files_can_have() -> None:
    # Each with an ending that is known to be of that language.
    endings = "js ts vue svelte astro py bzl php rb cr java kt scala groovy cs fs vb go rs c cpp"
    endings += " m cu sh sql swift dart lua pl ex r hs zig ps1"
    known = {detect(f"a.{ending}", "#import\n").language for ending in endings.split()}

    assert {language for family in families() for language in family.languages} <= known


def in_code(text: str) -> str:
    ticks = "``" if "`" in text else "`"
    return ticks + text.replace("|", "\\|") + ticks


def section(family: Family) -> str:
    """Write a family's part of the docs."""
    lines = [f"## {family.name}", "", f"For {', '.join(family.languages)}.", ""]
    lines += ["| source | tags | confidence | example |", "|---|---|---|---|"]
    lines += [
        f"| `{rule.name}` | {', '.join(rule.tags)} | {rule.confidence} | {in_code(rule.example)} |"
        for rule in family.sources
    ]
    lines += ["", "| sink | category | severity | confidence | example |", "|---|---|---|---|---|"]
    lines += [
        f"| `{rule.name}` | {rule.category} | {rule.severity} | {rule.confidence} | {in_code(rule.example)} |"
        for rule in family.sinks
    ]
    lines += ["", "| sanitizer | protects | example |", "|---|---|---|"]
    lines += [
        f"| `{rule.name}` | {'all' if rule.clears is None else ', '.join(sorted(rule.clears))} | {in_code(rule.example)} |"
        for rule in family.sanitizers
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_the_docs_hold_every_rule_as_it_is(family: Family) -> None:
    assert section(family) in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # One line, several lines, one variable after another.
        ("javascript", "eval(req.query.b)", "req.query->eval"),
        ("javascript", "const a = req.body.a\nconst b = a\nlet c = b.trim()\nexec(c)", "req.body->exec"),
        ("javascript", "exec(\n  'ls ' +\n  req.body.dir\n)", "req.body->exec"),
        ("javascript", "const x = req.body\n  .items\n  .first\nspawn(x)", "req.body->spawn"),
        ("javascript", "let q = 'a'\nq += req.params.id\neval(q)", "req.params->eval"),
        ("javascript", "const { cmd, id: other } = req.body;\nexec(other)", "req.body->exec"),
        ("javascript", "const {\n  cmd,\n  dir\n} = req.body\nexec(dir)", "req.body->exec"),
        ("javascript", "const [, , file] = process.argv\nfs.writeFileSync(file, '')", "argv->file.write"),
        ("javascript", "for (const one of req.body.all) { exec(one) }", "req.body->exec"),
        ("javascript", "this.name = req.query.n\neval(this.name)", "req.query->eval"),
        ("javascript", "app.get('/', (req, res) => { const c = req.query.c; exec(c) })", "req.query->exec"),
        ("javascript", "exec(`ls ${req.query.dir}`)", "req.query->exec"),
        ("javascript", "const t = `ls ${req.query.dir}`\nexec(t)", "req.query->exec"),
        ("javascript", "el.innerHTML = '<b>' + location.hash", "location->innerHTML"),
        ("typescript", "const id: string = req.params.id;\nexec(id)", "req.params->exec"),
        ("typescript", "const m: Map<string, string> = req.body;\nexec(m.get('x'))", "req.body->exec"),
        ("javascript", "db.query(`SELECT * FROM t WHERE id = ${req.params.id}`)", "req.params->sql.query"),
        ("javascript", "const s = 'SELECT ' + req.query.f\nconst q = s\ndb.query(q)", "req.query->sql.query"),
        ("javascript", "require('child_process').exec(ctx.request.body.c)", "ctx.request.body->exec"),
        ("python", "name = request.args['n']\nos.system('rm ' + name)", "request.args->os.system"),
        ("python", "os.system(f'rm {request.args[0]}')", "request.args->os.system"),
        ("python", "n = input()\nc = 'SELECT * FROM t WHERE n=%s' % n\ncur.execute(c)", "input->cursor.execute"),
        ("python", "cur.execute('DELETE FROM t WHERE n={}'.format(request.form['n']))", "request.form->cursor.execute"),
        ("python", "subprocess.run(\n    sys.argv[1],\n    shell=True,\n)", "sys.argv->subprocess"),
        ("python", "with open(sys.argv[1], 'w') as f:\n    pass", "sys.argv->file.write"),
        ("python", "for path in sys.argv[1:]:\n    eval(path)", "sys.argv->eval"),
        ("python", "data = pickle.loads(request.data)", "request.json->pickle.loads"),
        ("python", "a, b = sys.argv\nexec(b)", "sys.argv->exec"),
        ("python", "self.cmd = os.environ['CMD']\nos.system(self.cmd)", "os.environ->os.system"),
        ("php", "$id = $_GET['id'];\nmysqli_query($c, \"SELECT * FROM t WHERE id = $id\");", "$_GET->mysqli_query"),
        ("php", "echo 'Hi ' . $_POST['n'];", "$_POST->echo"),
        ("php", "foreach ($_POST['all'] as $one) {\n  system($one);\n}", "$_POST->exec"),
        ("php", "$db->query(\"SELECT * FROM t WHERE id = {$request->input('id')}\");", "$request->sql.query"),
        ("ruby", "name = params[:name]\nsystem \"ls #{name}\"", "params->exec"),
        ("ruby", "User.where(\"name = '#{params[:name]}'\")", "params->sql.where"),
        ("ruby", "out = `cat #{params[:file]}`", "params->backtick"),
        ("ruby", "params[:all].each do |one|\n  eval(one)\nend", "params->eval"),
        ("ruby", "params[:text].html_safe", "params->html_safe"),
        ("java", 'String c = request.getParameter("c");\nRuntime.getRuntime().exec(c);', "request.getParameter->Runtime.exec"),
        ("java", 'void find(@RequestParam("n") String name) {\n st.executeQuery("SELECT * FROM t WHERE n=" + name); }', "@RequestParam->Statement.execute"),
        ("java", "public static void main(String[] args) {\n  for (String arg : args) {\n    new ProcessBuilder(arg);\n  }\n}", "args->ProcessBuilder"),
        ("kotlin", 'val id = call.parameters["id"]\nst.executeQuery("SELECT * FROM t WHERE id = $id")', "call.parameters->Statement.execute"),
        ("scala", 'def main(args: Array[String]): Unit = {\n  Process(args(0))\n}', "args->ProcessBuilder"),
        ("c#", 'var id = Request.Query["id"];\nnew SqlCommand($"SELECT * FROM T WHERE Id = {id}");', "Request.Query->SqlCommand"),
        ("go", 'n := r.FormValue("n")\ndb.Query(fmt.Sprintf("SELECT * FROM t WHERE n = %s", n))', "r.FormValue->db.Query"),
        ("go", "cmd := exec.Command(os.Args[1])", "os.Args->exec.Command"),
        ("go", 'id := r.URL.Query().Get("id")\nq := "SELECT * FROM t WHERE id = " + id\ndb.QueryContext(ctx, q)', "r.URL->db.QueryContext"),
        ("go", "for _, a := range os.Args {\n\ttemplate.HTML(a)\n}", "os.Args->template.HTML"),
        ("rust", "let a = env::args().nth(1).unwrap();\nCommand::new(a).spawn();", "env::args->Command::new"),
        ("rust", 'async fn show(Query(q): Query<Q>) -> Html<String> {\n    Html(format!("<p>{q}</p>"))\n}', "extractor->Html"),
        ("c", "char b[9];\ngets(b);\nsystem(b);", "stdin->system"),
        ("c", "char *home = getenv(\"HOME\");\nstrcpy(target, home);", "getenv->strcpy"),
        ("c++", "std::string s;\nstd::cin >> s;\nsystem(s.c_str());", "stdin->system"),
        ("shell", 'cmd="$1"\neval "$cmd"', "argv->eval"),
        ("shell", 'read -r name\nbash -c "echo $name"', "read->sh -c"),
        ("sql", "CREATE PROCEDURE f @n nvarchar(9) AS\nSET @q = 'SELECT ' + @n\nEXEC(@q)", "parameter->execute"),
        ("swift", "let c = CommandLine.arguments[1]\nprocess.launchPath = c", "arguments->Process"),
        ("dart", "void main(List<String> args) {\n  Process.run(args[0], []);\n}", "args->Process.run"),
        ("lua", "local c = io.read()\nos.execute('ls ' .. c)", "io.read->os.execute"),
        ("perl", 'my $f = $ARGV[0];\nsystem("rm $f");', "@ARGV->system"),
        ("elixir", 'name = params["n"]\nSystem.shell("ls #{name}")', "params->System.cmd"),
        ("r", "name <- commandArgs()[1]\nsystem(paste('ls', name))", "commandArgs->system"),
        ("haskell", "args <- getArgs\ncallCommand (head args)", "getArgs->callCommand"),
        ("zig", "const a = try std.process.argsAlloc(g);\nvar c = std.process.Child.init(a, g);", "process.args->Child"),
        ("powershell", "$c = $args[0]\nInvoke-Expression $c", "$args->Invoke-Expression"),
    ],
)  # fmt: skip
def test_input_is_followed_to_where_it_does_harm(language: str, text: str, expected: str) -> None:
    assert expected in flows(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        # Made harmless, on the way or in place.
        ("javascript", "const s = req.query.x\nconst t = escape(s)\nel.innerHTML = t"),
        ("javascript", "let s = req.query.x\ns = escape(s)\nel.innerHTML = s"),
        ("javascript", "el.innerHTML = DOMPurify.sanitize(req.body.html)"),
        ("javascript", "exec('kill ' + Number(req.body.pid))"),
        ("javascript", "const t = sanitize(\n  req.body.x\n)\nexec(t)"),
        ("python", "n = shlex.quote(request.args['n'])\nos.system('rm ' + n)"),
        ("python", "n = int(request.args['n'])\nos.system(f'kill {n}')"),
        ("php", "echo htmlspecialchars($_GET['n']);"),
        ("php", "$id = (int) $_GET['id'];\nmysqli_query($c, \"SELECT $id\");"),
        ("ruby", "system(\"kill #{params[:pid].to_i}\")"),
        ("java", 'int id = Integer.parseInt(request.getParameter("id"));\nruntime.exec("kill " + id);'),
        ("go", 'id, _ := strconv.Atoi(r.FormValue("id"))\ndb.Query(fmt.Sprintf("SELECT %d", id))'),
        ("rust", "let n = env::args().nth(1).unwrap().parse::<u32>();\nCommand::new(n);"),
        ("c", "int n = atoi(argv[1]);\nsystem(n);"),
        # Overwritten.
        ("javascript", "let c = req.body.c\nc = 'ls'\nexec(c)"),
        ("python", "c = input()\nc = 'ls'\nos.system(c)"),
        # Bound as a parameter, not put into the text.
        ("javascript", "db.query('SELECT * FROM t WHERE id = ?', [req.params.id])"),
        ("python", "cur.execute('SELECT * FROM t WHERE id = %s', (request.args['id'],))"),
        ("go", 'db.QueryContext(r.Context(), "SELECT * FROM t WHERE id = $1", r.FormValue("id"))'),
        ("ruby", "User.where('name = ?', params[:name])"),
        ("ruby", "User.where(name: params[:name])"),
        ("python", "subprocess.run(['ls', sys.argv[1]])"),
        # Another variable, or none of the arguments.
        ("javascript", "const cmd = req.body.cmd\nexec(command)"),
        ("javascript", "const cmd = req.body.cmd\nexec(other.cmd)"),
        ("python", "name = input()\nrun(name=1)\neval(code)"),
        ("javascript", "log(req.body.a); exec('ls')"),
        # After the harm was done.
        ("javascript", "exec(cmd)\nconst cmd = req.body.cmd"),
        # No code.
        ("javascript", "const c = req.body.c\n// exec(c)\n/* eval(c) */\nlog('exec(c)')"),
        ("python", 'c = input()\n# os.system(c)\n"""\nos.system(c)\n"""\nlog("os.system(c)")'),
        ("ruby", "c = params[:c]\ntext = <<~TEXT\n  system(c)\nTEXT\n"),
        ("shell", "cat <<EOF\neval $1\nEOF\n"),
    ],
)  # fmt: skip
def test_what_is_harmless_makes_no_flow(language: str, text: str) -> None:
    assert flows(text, language) == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "// eval(req.body)"),
        ("javascript", "const help = 'use eval(x) or exec(y) with req.body'"),
        ("javascript", "const pattern = /eval(x)/, other = /exec(\"y)/"),
        ("javascript", "const found = pattern.exec(text)"),
        ("javascript", "function exec(command) { return command }"),
        ("typescript", "class A {\n  exec(command: string): Promise<void> {\n  }\n}"),
        ("javascript", "evaluate(x); executor(y); retrieval(z)"),
        ("javascript", "db.query({ name: 'fetch' })"),
        ("javascript", "list.query('open'); client.execute(job)"),
        ("javascript", "request.headers['X-Token'] = token"),
        ("javascript", "if (a.innerHTML == b) {}"),
        ("python", "def eval(x):\n    pass"),
        ("python", "model.eval(x); re.compile(y); open(path)"),
        ("python", "yaml.load(text, Loader=yaml.SafeLoader)"),
        ("python", "subprocess.run(['ls'])"),
        ("python", "'os.system(x)'\n# pickle.loads(y)"),
        ("ruby", "instance_eval(&block)"),
        ("ruby", "puts 'system(x)'"),
        ("go", 'rows := list.Query("open")'),
        ("rust", "// Command::new(x)\nlet lifetime: &'a str = \"eval\";"),
        ("c", "/* system(x) */ puts(\"system(x)\");"),
        ("java", '// Runtime.getRuntime().exec(x)\nlog("new ProcessBuilder(x)");'),
        ("shell", "# eval $x\necho 'eval $1'"),
        ("text", "eval(req.body)"),
        ("", "eval(req.body)"),
        ("javascript", ""),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_source_or_sink_is_none(language: str, text: str) -> None:
    assert risks(text, language=language) == {}


def test_a_text_may_hold_what_its_variable_is_passed_for() -> None:
    text = "const q = 'SELECT * FROM t WHERE id = ' + req.params.id\npool.query(q)"

    assert flows(text, "javascript") == ("req.params->sql.query",)
    assert flows(text.replace("SELECT", "choose").replace("WHERE", "if"), "javascript") == ()


def test_one_that_protects_a_category_protects_no_other() -> None:
    text = "n = html.escape(request.args['n'])\nos.system(n)\nmark_safe(n)"

    assert flows(text, "python") == ("request.args->os.system",)


def test_input_that_comes_two_ways_is_harmless_only_if_both_are() -> None:
    text = "n = shlex.quote(request.args['n']) + request.args['m']\nos.system(n)"

    assert flows(text, "python") == ("request.args->os.system",)


def test_the_surest_flow_of_a_pair_counts_and_each_stands_once() -> None:
    text = "exec(req.body.a)\nexec(req.body.b)\nexec(process.env.C)"

    found = risks(text, language="javascript")

    assert found["riskFlows"] == ("req.body->exec", "process.env->exec")
    assert found["riskFlowConfidence"] == (f"{0.6 * 0.8 + 0.1:.2f}", f"{0.4 * 0.8 + 0.1:.2f}")


def test_severity_is_that_of_the_worst_rule() -> None:
    assert risks("a = req.body", language="javascript")["riskSeverity"] == "low"
    assert risks("a.innerHTML = b", language="javascript")["riskSeverity"] == "medium"
    assert risks("a.innerHTML = eval(b)", language="javascript")["riskSeverity"] == "high"


def test_only_keys_with_something_in_them_are_given() -> None:
    assert set(risks("eval(req.body.a)", language="javascript")) == KEYS
    assert set(risks("const a = req.body", language="javascript")) == {
        "riskTags",
        "riskCategories",
        "riskSources",
        "riskSeverity",
    }


def test_a_text_is_read_up_to_its_bounds() -> None:
    assert "riskSinks" not in risks("\n" * 3001 + "eval(x)", language="javascript")
    assert "riskSinks" in risks("\n" * 2990 + "eval(x)", language="javascript")
    assert "riskSinks" not in risks(" " * 204_801 + "eval(x)", language="javascript")


PIECES = [
    "[", "{", "(", "#", "a.", "\n", "exec(", "x=req.body;", "'", '"', "`", "${", "/*", "<<~A\n",
    "for x in ", '"""', "\\", "eval ", "req.body.", "escape(", "=begin\n", "params[", "a=b;",
    "@RequestParam ", "\0", "é", "\ud7ff",
]  # fmt: skip


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_repetition_is_no_trap(family: Family) -> None:
    start = f"{family.sources[0].example}\n{family.sinks[0].example}\n"
    for piece in PIECES:
        found = risks(start + piece * (20_000 // len(piece)), language=family.languages[0])

        assert set(found) <= KEYS


@pytest.mark.parametrize("language", [family.languages[0] for family in families()])
def test_a_quick_look_never_rules_out_what_the_rules_find(language: str) -> None:
    family = next(one for one in families() if language in one.languages)
    for rule in (*family.sources, *family.sinks):
        for word in rule.words:
            assert may_hold_risk(f"  {word}  ", language=language), word


@given(
    st.lists(
        st.sampled_from(
            [rule.example for one in families() for rule in (*one.sources, *one.sinks)]
            + [
                "(",
                ")",
                "{",
                "}",
                "[",
                "]",
                "'",
                '"',
                "`",
                "=",
                ";",
                "\n",
                " ",
                ",",
                "a",
                ".",
                "\\",
            ]
        )
    ).map("".join),
    st.sampled_from([family.languages[0] for family in families()]),
)
def test_no_text_is_too_much(text: str, language: str) -> None:
    found = risks(text, language=language)

    assert set(found) <= KEYS
    flows_found, confidences = found.get("riskFlows", ()), found.get("riskFlowConfidence", ())
    assert isinstance(flows_found, tuple)
    assert isinstance(confidences, tuple)
    assert len(flows_found) == len(confidences)
    if not may_hold_risk(text, language=language):
        assert found == {}
