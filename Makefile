# make demo   set everything up, index this folder, answer questions, offline
# make test   set everything up, check the code, run the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test check lock

setup: $(VENV)/.ready

$(VENV)/.ready: requirements/dev.txt pyproject.toml packages/minilm/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable . --editable packages/minilm
	touch $@

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-package trivium-minilm \
	  --extra all pyproject.toml -o requirements/run.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-package trivium-minilm \
	  --extra all --group dev pyproject.toml -o requirements/dev.txt
