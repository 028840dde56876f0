# Everything goes through the .venv in this folder; `make setup` makes it, and every other target asks for it.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.made-from-constraints

.PHONY: help setup demo test check bench conformance docs format clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make the virtual environment (only if something changed)

$(STAMP): constraints.txt pyproject.toml
	@echo "setting up .venv (once)"
	@$(PYTHON) -c 'import sys; sys.exit("kikashi needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[test,check]'
	@touch $@

demo: setup  ## watch it play
	@$(BIN)/kikashi demo

test: setup  ## run every test, then the kernels' tests again with bounds checking
	$(BIN)/python -m pytest -n auto
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto -m "not slow"

check: setup  ## lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

conformance: setup  ## public rules and SGF cases, where ../shared/suites is there
	$(BIN)/python -m pytest tests/test_conformance.py

bench: setup  ## speed beside the C yardstick, where ../shared/yardstick is there
	$(BIN)/python benchmarks/playouts.py

docs: setup  ## write the pages that are made from docstrings
	$(BIN)/python -m kikashi.playout.catalogue > docs/parts.md
	$(BIN)/python -m kikashi.gtp.catalogue docs/gtp.md

format: setup  ## let ruff tidy up
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what the targets made
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
