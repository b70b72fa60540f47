"""Secrets are masked, what only looks like one stays, and hostile text costs no more than its size.

Every example is put together when the test runs, so that no file here holds one.
"""

from __future__ import annotations

import base64
import hashlib
import re
import string
import uuid

import pytest

from trivium.parsing import secrets
from trivium.parsing.secrets import mask

ALPHANUMERIC = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64 = ALPHANUMERIC + "+/"


def body(length: int, *, alphabet: str = ALPHANUMERIC, seed: str = "a") -> str:
    """Random-looking characters, the same on every run."""
    stream = hashlib.shake_256(f"{seed}{length}".encode()).digest(length * 2)
    return "".join(
        alphabet[int.from_bytes(stream[at : at + 2], "big") % len(alphabet)]
        for at in range(0, length * 2, 2)
    )


def wrapped(text: str, *, width: int = 64) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def pem(kind: str, *, header: str = "", letters: int = 500) -> str:
    lines = wrapped(body(letters, alphabet=BASE64))
    return f"-----BEGIN {kind}-----\n{header}{lines}\n-----END {kind}-----\n"


KEY = " ".join(["PRIVATE", "KEY"])
BASIC = base64.b64encode(b"alice:Gr33nTea!").decode()
JWT = ".".join(
    ["eyJ" + body(33), "eyJ" + body(60, seed="b"), body(43, alphabet=ALPHANUMERIC + "-_")]
)

# (what surrounds the secret, with {} in its place; the secret; the name of its mask)
PROVIDERS = [
    ("{}", "AK" + "IA" + body(16, alphabet=string.ascii_uppercase + "234567"), "aws-access-key"),
    ("id: '{}'", "AS" + "IA" + body(16, alphabet=string.ascii_uppercase), "aws-access-key"),
    ("aws_secret_access_key = {}", body(40, alphabet=BASE64), "aws-secret-key"),
    ('"SecretAccessKey": "{}",', body(40, alphabet=BASE64, seed="b"), "aws-secret-key"),
    ("AWS_SECRET_ACCESS_KEY={}\n", body(40, alphabet=BASE64, seed="c"), "aws-secret-key"),
    ("token={}", "gh" + "p_" + body(36), "github-token"),
    ("x {} y", "gh" + "o_" + body(36, seed="b"), "github-token"),
    ("git clone https://{}@github.com/a/b", "gh" + "s_" + body(36, seed="c"), "github-token"),
    ("'{}'", "github" + "_pat_" + body(22) + "_" + body(59), "github-token"),
    ("PRIVATE-TOKEN: {}", "gl" + "pat-" + body(20, alphabet=ALPHANUMERIC + "-_"), "gitlab-token"),
    ("{}", "gl" + "rt-" + body(20), "gitlab-token"),
    ("SLACK={}", "xo" + "xb-" + "123456789012-1234567890123-" + body(24), "slack-token"),
    ("{}", "xo" + "xp-" + "98765432101-98765432101-" + body(32, alphabet=HEX), "slack-token"),
    ("{}", "xa" + "pp-1-A0B1C2-1234567890-" + body(64, alphabet=HEX), "slack-token"),
    ("https://hooks.slack.com/services/{}", "T0AB12CD3/B0AB12CD3/" + body(24), "slack-webhook"),
    ("stripe.api_key = '{}'", "sk" + "_live_" + body(24), "stripe-key"),
    ("{}", "rk" + "_live_" + body(99), "stripe-key"),
    ("{}", "sk" + "_test_" + body(24, seed="d"), "stripe-key"),
    ("hook {}", "wh" + "sec_" + body(32), "stripe-key"),
    ("client = OpenAI('{}')", "sk" + "-" + body(48), "openai-key"),
    ("{}", "sk" + "-proj-" + body(80, alphabet=ALPHANUMERIC + "-_"), "openai-key"),
    ("export A={}", "sk" + "-svcacct-" + body(60), "openai-key"),
    ("{}", "sk" + "-ant-api03-" + body(93, alphabet=ALPHANUMERIC + "-_"), "anthropic-key"),
    ("https://maps.example.org/js?key={}&v=3", "AI" + "za" + body(35), "google-key"),
    ("{}", "GOC" + "SPX-" + body(28), "google-key"),
    ("{}", "ya" + "29.a0" + body(120), "google-token"),
    ("twilio {}", "S" + "K" + body(32, alphabet=HEX), "twilio-key"),
    ("{}", "S" + "G." + body(22) + "." + body(43), "sendgrid-key"),
    ("{}", "np" + "m_" + body(36), "npm-token"),
    ("//registry.example.org/:_authToken={}", body(36, alphabet=HEX), "npm-token"),
    ("password = {}", "py" + "pi-AgEIcHlwaS5vcmc" + body(120), "pypi-token"),
    ("login(token='{}')", "h" + "f_" + body(34), "hugging-face-token"),
    ("{}", "do" + "p_v1_" + body(64, alphabet=HEX), "digitalocean-token"),
    ("AccountName=x;AccountKey={};EndpointSuffix=y", body(86, alphabet=BASE64) + "==", "azure-key"),
    ("SharedAccessKey={}", body(43, alphabet=BASE64) + "=", "azure-key"),
    ("{}", "hv" + "s." + body(90), "vault-token"),
    ("{}", "dckr" + "_pat_" + body(27), "access-token"),
    ("{}", "sh" + "pat_" + body(32, alphabet=HEX), "access-token"),
    ("{}", "lin" + "_api_" + body(40), "access-token"),
    ("{}", "dap" + "i" + body(32, alphabet=HEX), "access-token"),
    ("{}", "gs" + "k_" + body(52), "access-token"),
    ("{}", JWT, "jwt"),
    ("age: {}", "AGE-SECRET-" + "KEY-1" + body(58).upper(), "private-key"),
]  # fmt: skip
ASSIGNMENTS = [
    ('api_key = "{}"', body(32), "secret"),
    ("apiKey: '{}',", body(24, seed="f"), "secret"),
    ('"client_secret": "{}"', body(40, seed="g"), "secret"),
    ("SECRET_KEY = '{}'", body(50, alphabet=ALPHANUMERIC + "!@#%^&*(-_=+)"), "secret"),
    ("ACCESS_TOKEN={}\n", body(32, seed="h"), "secret"),
    ("auth-token: {}\n", body(40, alphabet=HEX), "secret"),
    ("secret_key_base: {}\n", body(128, alphabet=HEX), "secret"),
    ('let token: &str = "{}";', body(28, seed="i"), "secret"),
    ('token: str = "{}"', body(28, seed="j"), "secret"),
    ("'api_key' => '{}',", body(32, seed="k"), "secret"),
    ('const apiToken = `{}`;', body(32, seed="l"), "secret"),
    ('os.environ["API_TOKEN"] = "{}"', body(32, seed="m"), "secret"),
    ("<secret>{}</secret>", body(32, seed="n"), "secret"),
    ('signing_key := "{}"', body(44, alphabet=BASE64), "secret"),
    ("--api-key={} --verbose", body(32, seed="o"), "secret"),
    ('api_key: "{}"', str(uuid.UUID(body(32, alphabet=HEX))), "secret"),
    ('password = "{}"', "Tr0ub4dor" + "&3", "password"),
    ("DB_PASSWORD: {}\n", "s9K!" + "vQ2#xp", "password"),
    ("mysql --password={} db", "Zx81" + "!mkQ", "password"),
    ("smtp_pwd='{}'", body(16, seed="p"), "password"),
    ('setPassword("{}")', "aB3$" + "kL9mW", "password"),
    ("passphrase: '{}'", body(20, seed="q"), "password"),
    ('password_hash = "{}"', "$2b$12$" + body(53), "password"),
]  # fmt: skip
ADDRESSES = [
    ("postgres://app:{}@db.internal:5432/main", "hunter" + "2", "url-password"),
    ("redis://:{}@cache:6379/0", body(20), "url-password"),
    ("amqps://user:{}@mq.example.org", "p%40ss" + "w0rd", "url-password"),
    ("'mongodb+srv://root:{}@c0.example.net/x'", "correcthorse", "url-password"),
    ("Authorization: Bearer {}", body(40), "authorization"),
    ('-H "authorization: bearer {}"', body(40, alphabet=HEX), "authorization"),
    ("Authorization: Basic {}", BASIC, "authorization"),
    ('headers["Authorization"] = "token {}"', body(40, alphabet=HEX, seed="r"), "authorization"),
]


@pytest.mark.parametrize(("around", "secret", "name"), [*PROVIDERS, *ASSIGNMENTS, *ADDRESSES])
def test_a_secret_gives_way_to_its_kind_and_what_surrounds_it_stays(
    around: str, secret: str, name: str
) -> None:
    masked = mask(around.replace("{}", secret))
    assert masked == secrets.Masked(text=around.replace("{}", f"[masked:{name}]"), count=1)


@pytest.mark.parametrize(
    "block",
    [
        pem(f"RSA {KEY}"),
        pem(f"EC {KEY}", letters=160),
        pem(f"DSA {KEY}"),
        pem(KEY, letters=64),
        pem(f"ENCRYPTED {KEY}"),
        pem(f"OPENSSH {KEY}", letters=1000),
        pem(f"RSA {KEY}", header="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D\n\n"),
        pem(f"PGP {KEY} BLOCK", header="Version: GnuPG v2\n\n"),
        pem(f"RSA {KEY}").replace("\n", "\\n"),
        pem(f"RSA {KEY}").replace("\n", "\n    "),
        "\n".join(f'    "{line}\\n" +' for line in pem(KEY).splitlines()),
        pem(f"RSA {KEY}").partition("-----END")[0],
    ],
    ids=[
        "rsa", "ec", "dsa", "pkcs8", "encrypted", "openssh", "old encrypted", "pgp", "escaped",
        "indented", "in strings", "cut off",
    ],
)  # fmt: skip
def test_a_private_key_is_masked_and_its_lines_are_kept(block: str) -> None:
    text = f"before = 1\n{block}\nafter = 2\n"
    masked = mask(text)
    assert masked.count == 1
    assert masked.text.splitlines()[-1] == "after = 2"
    assert masked.text.count("\n") == text.count("\n")
    rest = masked.text.replace("[masked:private-key]", "")
    assert (
        re.search(r"[A-Za-z0-9+/]{16}", rest.replace("-----BEGIN", "").replace("-----END", ""))
        is None
    )


def test_a_putty_key_is_masked() -> None:
    text = "Private-Lines: 2\n" + wrapped(body(100, alphabet=BASE64)) + "\nPrivate-MAC: 1\n"
    masked = mask(text)
    assert masked.text == "Private-Lines: 2[masked:private-key]\n\n\nPrivate-MAC: 1\n"


INNOCENT = [
    "commit " + body(40, alphabet=HEX),
    "id = '6f1d2c3b-7a89-4c5d-9e0f-1a2b3c4d5e6f'",
    "sha256:" + body(64, alphabet=HEX),
    "digest = '" + body(64, alphabet=HEX) + "'",
    '"integrity": "sha512-' + body(86, alphabet=BASE64) + '=="',
    "token_sha256 = '" + body(64, alphabet=HEX) + "'",
    "secret = 'sha256:" + body(64, alphabet=HEX) + "'",
    '<img src="data:image/png;base64,' + body(400, alphabet=BASE64) + '">',
    "token = get_token()",
    "token = await fetch_access_token_from_server(user_id)",
    "token = self.tokens[position + 1]",
    "token = previous_token2",
    "const token = request.headers.authorizationToken2;",
    "password: string;",
    "password: Option<String>,",
    "def login(self, password: str = DEFAULT_PASSWORD_2) -> None:",
    'password = "changeme"',
    'password = "Change-Me-Now1!"',
    'password: "<your password>"',
    'password = "${DB_PASSWORD}"',
    "password: $DB_PASSWORD_2",
    "password: {{ vault_db_password_2 }}",
    'password = "%(DB_PASSWORD)s"',
    'password = "correct horse battery 1 A!"',
    'api_key = "your-api-key-here-1234"',
    'api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"',
    'api_key = "<token-goes-in-here-1>"',
    'api_key = "example-key-AbC123dEf456"',
    'api_key = os.environ["API_KEY"]',
    "api_key = config.services.payment.api_key_v2",
    'secret = "projects/my-project/secrets/database/versions/3"',
    'secretName: "wildcard-certificate-production-2023"',
    'token_type = "urn:ietf:params:oauth:grant-type:jwt-bearer"',
    'token_url = "https://auth.example.org/oauth2/v2.0/token?tenant=9f8e7d6c5b4a"',
    'tokenizer = "sentence-transformers/all-MiniLM-L6-v2"',
    'TOKEN_EXPIRY = "2024-01-01T00:00:00Z"',
    "AWS_ACCESS_KEY_ID is the variable that AKIA keys are kept in",
    "gh" + "p_" + "x" * 36,
    "task-list disk-usage sk-spinner-double-bounce mask-image",
    ".sk-estimator-documentation-link-container { color: #a1b2c3 }",
    "hf_hub_download_with_progress_and_retries(repository)",
    "npm_config_registry_and_some_other_long_variable_name = 1",
    "https://example.org:8080/@scope/package",
    "https://user@example.org/path",
    "postgres://user:password@localhost/db",
    "postgres://user:${PASSWORD}@localhost/db",
    "git@github.com:owner/repository.git",
    "Authorization: Bearer <token>",
    "Authorization: Basic authentication is not supported",
    "the bearer authentication-scheme-is-described in RFC 6750",
    f'if text.startswith("-----BEGIN {KEY}-----") and text.endswith("-----END {KEY}-----"):',
    f"-----BEGIN {KEY}----- is the first line of such a file, and others follow it",
    pem("CERTIFICATE"),
    pem("PUBLIC " + "KEY"),
    "AbstractSingletonProxyFactoryBeanTokenProviderSecretKeyManagerFactory2",
    "eyJ.eyJ.eyJ",
    "key = 'cache:" + body(24, alphabet=HEX) + "'",
    "[masked:github-token]",
]  # fmt: skip


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask(text) == secrets.Masked(text=text, count=0)


def test_every_value_of_an_env_file_is_masked() -> None:
    text = "# settings\nDEBUG=true\nexport NAME='a b'\n\nEMPTY=\nPORT: 80 # web\n#OLD=1\n"
    masked = mask(text, path="deploy/.env")
    mark = "[masked:env-value]"
    assert masked.text == (
        f"# settings\nDEBUG={mark}\nexport NAME={mark}\n\nEMPTY=\nPORT: {mark}\n#OLD={mark}\n"
    )
    assert masked.count == len(["DEBUG", "NAME", "PORT", "OLD"])


def test_a_value_of_an_env_file_may_go_on_over_lines() -> None:
    text = 'A="one\ntwo\nthree"\nB=2\n'
    mark = "[masked:env-value]"
    assert mask(text, path=".env").text == f"A={mark}\n\n\nB={mark}\n"


def test_a_quote_left_open_in_an_env_file_does_not_show_the_next_value() -> None:
    masked = mask('A="one\nB="two"\nC="three"\n', path=".env")
    mark = "[masked:env-value]"
    assert masked.text == f"A={mark}\nB={mark}\nC={mark}\n"


@pytest.mark.parametrize(
    ("path", "is_env"),
    [
        (".env", True),
        (".env.production", True),
        ("a/b/.env.local", True),
        (".env.example", False),
        (".env.sample", False),
        (".env.template", False),
        (".env.local.example", False),
        ("environment", False),
        ("my.env.py", False),
        (".envrc", True),
        ("prod.env", True),
        ("deploy/config.env", True),
        ("example.env", False),
        ("prod.sample.env", False),
        ("app-template.env", False),
        (".env/activate", False),
    ],
)
def test_env_files_are_known_by_name(path: str, is_env: bool) -> None:
    assert (mask("MODE=fast\n", path=path).count == 1) == is_env


def test_what_an_envrc_exports_is_masked_and_its_commands_stay() -> None:
    masked = mask("use flake\nexport NAME=value\nPATH_add bin\n", path=".envrc")
    assert masked.text == "use flake\nexport NAME=[masked:env-value]\nPATH_add bin\n"


# (path; what surrounds the secret, with {} in its place; the secret; the name of its mask)
BY_PATH = [
    (".netrc", "machine a.org login bob password {}\n", "plain" + "word", "password"),
    ("home/_netrc", "machine a.org\n  login bob\n  password {}\n", "plain" + "word", "password"),
    (".pgpass", "db.org:5432:main:bob:{}\n", "plain" + "word", "password"),
    (".pgpass", "a\\:b:5432:*:bob:{}\n", "pl:ain" + "word", "password"),
    (".htpasswd", "bob:{}\n", "$apr1$" + body(8) + "$" + body(22), "password"),
    ("etc/.htpasswd", "bob:{}\n", "{SHA}" + body(27) + "=", "password"),
    (".npmrc", "//r.example.org/:_authToken={}\n", "short" + "1", "npm-token"),
    (".npmrc", "//r.example.org/:_password={}\n", "plain" + "word", "npm-token"),
    (".npmrc", "_auth = {}\n", BASIC, "npm-token"),
    (".git-credentials", "https://bob:{}@example.org\n", "password", "url-password"),
    (".git-credentials", "https://{}@example.org\n", body(20), "url-password"),
    (".docker/config.json", '{"auths": {"r.org": {"auth": "{}"}}}', BASIC, "authorization"),
    (".docker/config.json", '"identitytoken": "{}"', "plain" + "word", "authorization"),
    ("config.json", '{"auth": "{}"}', BASIC, "authorization"),
    ("a.yaml", "password: {}\n", "correcthorse" + "battery", "password"),
    ("a.yml", "secret_key: '{}'\n", "Tr0ub4dor" + "&3xyz", "secret"),
    ("a.toml", 'db_password = "{}"\n', "hunter2" + "hunter2", "password"),
    ("a.json", '{"password": "{}", "user": "bob"}', "hunter" + "2", "password"),
    ("a.json", '{"password": "{}"}', 'say \\"fri' + 'end9', "password"),
    ("a.json", '{"name": "DB_PASSWORD", "value": "{}"}', "hunter" + "2", "password"),
    ("a.json", '"db": "Server=x;Password={};Database=y"', "hunter" + "2", "password"),
    ("a.yaml", "- name: DB_PASSWORD\n  value: {}\n", "hunter" + "2", "password"),
    ("a.yaml", "- DB_PASSWORD={}\n", "hunter" + "2", "password"),
    ("a.yaml", "{user: bob, password: {}, port: 1}\n", "hunter" + "2", "password"),
    ("a.yaml", "password: {} # until May\n", "hunter" + "2", "password"),
    ("a.yaml", "password: {} # once ${OLD}\n", "hunter" + "2", "password"),
    ("a.yaml", "password: >-\n  {}\nuser: bob\n", "hunter" + "2", "password"),
    ("a.yaml", "clientSecret: {}\r\n", "plain" + "word", "secret"),
    ("a.yaml", "private_key: {}\n", body(2000, alphabet=BASE64), "secret"),
    ("a.ini", "[db]\npasswd = {}\n", "Super" + "Secret99", "password"),
    ("a.cfg", "api-key={}\n", "plain" + "word", "secret"),
    ("a.conf", "auth_token = {};\n", "plain" + "word", "secret"),
    ("a.properties", "spring.datasource.password={}\n", "pl#ain" + "word", "password"),
    ("a.tfvars", 'master_password = "{}"\n', "plain" + "word", "password"),
    ("a.tf", '  secret_key = "{}"\n', "plain" + "word", "secret"),
    ("a.xml", '<user name="bob" password="{}"/>', "plain" + "word", "password"),
    ("a.xml", "<password>{}</password>", "plain" + "word", "password"),
    ("web.config", '<add key="DbPassword" value="{}" />', "plain" + "word", "password"),
    (".env.example", "DB_PASSWORD={}\n", "hunter" + "2", "password"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "around", "secret", "name"), BY_PATH)
def test_a_plain_secret_is_known_by_its_file_and_key(
    path: str, around: str, secret: str, name: str
) -> None:
    masked = mask(around.replace("{}", secret), path=path)
    assert masked == secrets.Masked(text=around.replace("{}", f"[masked:{name}]"), count=1)


INNOCENT_BY_PATH = [
    ("a.py", 'password = "correcthorsebattery"'),
    ("README.md", "password: correcthorsebattery"),
    ("a.yaml", "password: string"),
    ("a.yaml", "password:\n  type: string\n  format: password\n"),
    ("a.yaml", "password_file: /run/secrets/x"),
    ("a.yaml", "password: /run/secrets/x"),
    ("a.yaml", "private_key: certs/server.key"),
    ("a.yaml", "secretName: my-secret"),
    ("a.yaml", "existingSecret: database"),
    ("a.yaml", "imagePullSecret: registry"),
    ("a.yaml", "min_password_length: 12"),
    ("a.yaml", "password: 12"),
    ("a.yaml", "password: true"),
    ("a.yaml", "password: null"),
    ("a.yaml", "password: ~"),
    ("a.yaml", "password: ''"),
    ("a.yaml", "password:\nuser: bob\n"),
    ("a.yaml", "password: ${DB}"),
    ("a.yaml", "password: $DB"),
    ("a.yaml", "password: {{ database }}"),
    ("a.yaml", 'password: "{{ database }}"'),
    ("a.yaml", "password: env(DB)"),
    ("a.yaml", "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n"),
    ("a.yaml", "password: !secret database"),
    ("a.yaml", "password: *shared"),
    ("a.yaml", "password: changeme"),
    ("a.yaml", "password: <fill in>"),
    ("a.yaml", "password: your-password-here"),
    ("a.yaml", "api_key: DB_API_KEY"),
    ("a.yaml", "api_key: https://example.org/keys"),
    ("a.yaml", "secret: vault:kv/database"),
    ("a.yaml", "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: database}\n"),
    ("a.yaml", "password: The one you were given"),
    ("a.json", '"password": "Password"'),
    ("a.json", '"confirmPassword": "Confirm password"'),
    ("a.json", '"apiKey": "API key"'),
    ("a.json", '"password": {"type": "string"}'),
    ("a.json", '"password": "パスワード"'),
    ("a.json", '"auth": "required"'),
    ("src/locales/nl.json", '"password": "Wachtwoord"'),
    ("messages_nl.properties", "login.password=Wachtwoord"),
    ("a.toml", "password = settings"),
    ("a.tf", "password = var.database"),
    ("a.tf", 'password = "${var.database}"'),
    ("a.xml", '<xs:element name="password" type="xs:string"/>'),
    ("a.xml", "<password></password>"),
    (".npmrc", "//r.example.org/:_authToken=${NPM}\nalways-auth=true"),
    (".pgpass", "# hostname:port:database:username:password"),
    ("example.env", "DB_PASSWORD=changeme\nMODE=fast\n"),
]


@pytest.mark.parametrize(("path", "text"), INNOCENT_BY_PATH)
def test_a_value_that_stands_for_another_stays_in_configuration(path: str, text: str) -> None:
    assert mask(text, path=path) == secrets.Masked(text=text, count=0)


def test_a_block_of_lines_under_a_secret_key_is_masked_and_keeps_its_lines() -> None:
    text = "password: |\n  hunter2\n  hunter3\nuser: bob\n"
    masked = mask(text, path="a.yaml")
    assert masked.text == "password: |\n  [masked:password]\n\nuser: bob\n"
    assert masked.count == 1


def test_a_template_of_an_env_file_still_loses_real_secrets() -> None:
    secret = "gh" + "p_" + body(36)
    assert secret not in mask(f"TOKEN={secret}\n", path=".env.example").text


def test_a_value_found_by_two_rules_is_masked_and_counted_once() -> None:
    secret = "gh" + "p_" + body(36)
    masked = mask(f'token = "{secret}"')
    assert masked.count == 1
    assert masked.text.count("[masked:") == 1


def test_every_secret_of_a_text_is_counted() -> None:
    found = [around.replace("{}", secret) for around, secret, _ in PROVIDERS]
    assert mask("\n".join(found)).count == len(found)


def test_positions_hold_in_text_of_any_script() -> None:
    secret = body(32)
    masked = mask(f'İßé日本🔑 API_KEY = "{secret}" 日本İ')
    assert masked.text == 'İßé日本🔑 API_KEY = "[masked:secret]" 日本İ'


MEGABYTES = 2_000_000
HOSTILE = [
    "a", "A", "=", '"', "'", "`", " ", "\n", "\t", "://", ":", "@", "://a:", "eyJ",
    "eyJaaaaaaaaaa.", "-----BEGIN ", f"-----BEGIN {KEY}-----",
    f"-----BEGIN {KEY}-----\n" + "A" * 16, "token=", 'token="', "token", "password", "password=",
    'password:"', "password ", "passwordpwd", "Bearer ", "sk-", "SK", "sk-ant-", "xox", "xoxb-1",
    "gh" + "p_", "gl" + "pat-", "secret_access_key=", "AccountKey=", 'A="', "A='\n",
    "Private-Lines: 1\nA", "authorization: basic ", "npm_", "api_key: ", "a1B2", "# ", "export ",
    "hooks.slack.com/", "\\", "\\n", "/", "-",
]  # fmt: skip


HOSTILE_SETTINGS = [
    "password: ", "password:x ", "password:'", "password:''", "password:\"", "password: |\n ",
    "password>", "password>a<", "password:${", "password\n", "password value=", "password: a/a/",
    "a:a:", '"auth":"', "_auth=", "://a",
]  # fmt: skip


@pytest.mark.parametrize("path", ["a.yaml", "a.json", ".netrc", ".pgpass", ".htpasswd", ".npmrc"])
@pytest.mark.parametrize("piece", HOSTILE_SETTINGS)
def test_hostile_settings_come_to_an_end(path: str, piece: str) -> None:
    text = piece * (MEGABYTES // 10 // len(piece))
    assert mask(text, path=path).text.count("\n") == text.count("\n")


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_of_two_megabytes_comes_to_an_end(piece: str) -> None:
    text = f"-----BEGIN {KEY}-----" + (piece * (MEGABYTES // len(piece) + 1))[:MEGABYTES]
    masked = mask(text, path=".env")
    assert masked.text.count("\n") == text.count("\n")


@pytest.mark.parametrize("rule", secrets._rules().rules, ids=lambda rule: str(rule.name))
def test_no_pattern_can_backtrack_into_an_unbounded_run(rule: secrets._Rule) -> None:
    unbounded = re.findall(r"(?:\*|(?<![*+?}])\+|\{\d+,\})(?![+?])", strip_sets(rule.pattern))
    assert unbounded == []


def strip_sets(pattern: str) -> str:
    """Leave out sets of characters and escapes, where a star stands for itself."""
    return re.sub(r"\[(?:\\.|[^\]\\])+\]", "S", re.sub(r"\\.", "E", pattern))


def test_a_mark_in_a_file_of_values_stays_the_mark_it_is() -> None:
    text = "password=[masked:password]\nOTHER=[masked:github-token]\n"

    assert mask(text, path=".env").text == text
