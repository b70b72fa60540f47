# make demo    set everything up, index this folder, answer questions, offline
# make test    set everything up, check the code, run all tests
# make test-cluster  the same promises on a real OpenSearch: fetches it, starts nodes here, stops them:
#              make test-cluster [NODES=3] [TESTS="-k parity"]; needs a JDK and Maven, says so where they are not
# make check   lint, types, import law
# make eval    ranking quality, the tables of docs/quality.md:  make eval DATA="folder ..." [REPOS=folder]
#              [PROFILES="best rag"] [MODELS=minilm] [PARTS=] [SPLIT=train] [LIMIT=100] [REPORT=report.html]
# make bench   speed, memory and size, each against a peer in the same run
# make performance  write docs/performance.md: targets, growth, other libraries (they are downloaded; an hour)
# make scale   index a folder of very many files:  make scale FILES=200000
# make granite  make a better model for meaning from its wheel:  make granite OUT=~/models/granite
# make browser  install a browser for the tests of the web page (Debian's chromium; others: by hand)
# make screenshots  write docs/images/*.png from this folder, with that browser
# make seeds   write docs/seeds.md: which case of which seed holds
# make coverage  which lines and branches the tests reach
# make crash   more rounds of kill -9:  make crash ROUNDS=1000
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ROUNDS ?= 1000
FILES ?= 200000
PROFILES ?= best rag
MODELS ?= minilm
PARTS ?= --parts
OUT ?= build/granite
NODES ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test test-cluster check tests browser screenshots coverage wheel eval bench performance scale crash granite seeds lock clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements/dev.txt requirements/run.txt requirements/core.txt pyproject.toml packages/minilm/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable . --editable packages/minilm
	touch $@

demo: setup
	@./demo.sh $(BIN)/trivium

# What is checked and what is packed need a core each; the tests take all there are.
test: setup
	$(MAKE) --jobs=2 check wheel
	$(MAKE) tests

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/typos
	@$(BIN)/python benchmarks/sizes_of_code.py

tests: setup browser
	$(BIN)/pytest -n auto

# A mirror that does not answer holds nothing up for long.
APT := timeout 300 apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
# Where none is there and none can be installed, the tests of the page say so and are skipped.
browser:
	@if { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  $(APT) update && $(APT) install -y --no-install-recommends chromium || \
	  echo "no browser could be installed: the tests of the web page are skipped" >&2; \
	else echo "no browser is installed: the tests of the web page are skipped; install chromium" >&2; fi

screenshots: setup browser
	$(BIN)/python -m tests.e2e.page.screenshots docs/images

test-cluster: setup
	$(BIN)/python -m cluster $(NODES) $(TESTS)

coverage: setup
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report --skip-covered --sort=cover

# The built wheel alone, in an empty environment: no extras, no development packages.
wheel: setup
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip install --quiet --require-hashes -r requirements/core.txt
	build/wheel/venv/bin/pip install --quiet --no-deps build/wheel/*.whl
	$(BIN)/python tests/e2e/wheel_alone.py build/wheel/venv/bin

eval: setup
	$(BIN)/trivium eval $(DATA) $(foreach one,$(PROFILES),--profile $(one)) $(foreach one,$(MODELS),--model $(one)) \
	  $(PARTS) $(if $(SPLIT),--split $(SPLIT)) $(if $(REPOS),--repos $(REPOS)) $(if $(LIMIT),--limit-queries $(LIMIT)) $(if $(REPORT),--report $(REPORT))

seeds: setup
	$(BIN)/python tests/acceptance/seeds_page.py > docs/seeds.md

granite: setup
	$(BIN)/python -m packages.granite.export $(WHEEL) --out $(OUT)

bench: setup
	$(BIN)/python -m benchmarks

# Folders to take in beside semble: this one, or those given.
FOLDERS ?= .
performance: setup
	mkdir -p build && rm -f build/peers.json build/repositories.json
	$(BIN)/python -m benchmarks.peers --json build/peers.json
	$(BIN)/python -m benchmarks.repositories $(FOLDERS) --json build/repositories.json
	$(BIN)/python -m benchmarks.performance --peers build/peers.json --repositories build/repositories.json --out docs/performance.md

scale: setup
	$(BIN)/python -m benchmarks.scale --files $(FILES)

crash: setup
	$(BIN)/pytest tests/crash --crash-rounds=$(ROUNDS) --timeout=0

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-emit-package trivium-minilm --custom-compile-command "make lock" pyproject.toml
lock:
	$(LOCK) -o requirements/core.txt
	$(LOCK) --extra all -o requirements/run.txt
	$(LOCK) --extra all --group dev -o requirements/dev.txt
	$(PYTHON) requirements/beside.py requirements/dev.txt requirements/run.txt
	$(PYTHON) requirements/beside.py requirements/run.txt requirements/core.txt

clean:
	rm -rf $(VENV) build dist .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
