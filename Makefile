# Everything a contributor does; 'make help' lists it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
CARD := tests/releases/card
PEERS := $(VENV)-peers
RECBOLE := $(VENV)-recbole
BENCH_PEERS := $(VENV)-bench-peers
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help environment demo test coverage test-real test-slow test-peers lint types bench bench-netflix bench-peers format check picture notebooks docs package clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("recloak needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.12")'
	@echo "Making an environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(BASE): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing recloak …"
	@$(PIP) --editable .
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing recloak and what its tests need …"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(BASE)

$(DOCS): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing recloak and what its documentation needs …"
	@$(PIP) --editable '.[docs]'
	@touch $@ $(BASE)

environment: $(DEV) $(DOCS) ## all that the other targets install, one after the other

demo: $(BASE) ## simulate data, publish made-up people, attack the result; leaves demo/
	@$(BIN)/recloak demo --out demo

test: $(DEV) ## the whole suite
	$(PYTEST) -n auto --dist loadscope

coverage: $(DEV) ## the same, a third slower, with what it covers; less than 95 % fails
	$(PYTEST) -n auto --dist loadscope --cov --cov-report=term:skip-covered --cov-fail-under=95

test-real: $(DEV) ## only the tests on the real data sets (needs RECLOAK_DATA)
	$(PYTEST) -m real

test-slow: $(DEV) ## only the tests that take minutes
	$(PYTEST) -m slow

$(PEERS)/.installed: pyproject.toml $(CARD)/peers.txt
	@echo "Installing recloak and the libraries of other makers in $(PEERS) …"
	@$(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(CARD)/peers.txt --editable '.[peers]'
	@touch $@

$(RECBOLE)/.installed: $(CARD)/recbole.txt
	@echo "Installing RecBole in $(RECBOLE) …"
	@$(PYTHON) -m venv $(RECBOLE)
	@$(RECBOLE)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(CARD)/recbole.txt
	@touch $@

test-peers: $(PEERS)/.installed $(RECBOLE)/.installed ## the data card's code for LensKit, Surprise, implicit and RecBole
	RECLOAK_PEERS=yes RECLOAK_RECBOLE=$(abspath $(RECBOLE)/bin/python) $(PEERS)/bin/python -m pytest $(CARD)/test_libraries.py

lint: $(DEV) ## ruff, both linter and formatter, and the contracts of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(DEV) ## mypy, strict
	$(BIN)/mypy

bench: $(DEV) ## ratios, growth and memory; writes benchmarks/README.md
	$(BIN)/python -m benchmarks

bench-netflix: $(DEV) ## the same at the size of the Netflix Prize
	$(BIN)/python -m benchmarks --only netflix

$(BENCH_PEERS)/.installed: benchmarks/peers.txt
	@echo "Installing what recloak is compared with in $(BENCH_PEERS) …"
	@$(PYTHON) -m venv $(BENCH_PEERS)
	@$(BENCH_PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	@touch $@

bench-peers: $(DEV) $(BENCH_PEERS)/.installed ## implicit and pyCANON beside ours, in turns
	RECLOAK_BENCH_PEERS=$(abspath $(BENCH_PEERS)/bin/python) $(BIN)/python -m benchmarks --only peers

format: $(DEV) ## let ruff put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint types test ## all that CI does

picture: $(DEV) ## docs/report.png, the picture of the README, from a new demo
	@$(BIN)/recloak demo --out demo --quiet
	$(BIN)/python docs/_report_picture.py demo

notebooks: $(DEV) ## runs the notebooks of the documentation and keeps what they show
	$(BIN)/python docs/_notebooks.py

docs: $(DOCS) ## the documentation, into site/; a broken link stops it
	$(BIN)/python docs/_generate.py
	rm -rf site
	$(BIN)/python -m zensical build --strict; built=$$?; rm -rf .cache; exit $$built

package: $(DEV) ## wheel and sdist into dist/, installed in an environment of their own and tried
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(PYTHON) -m venv dist/.venv
	dist/.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	cd dist && .venv/bin/recloak --version && .venv/bin/recloak warmup && .venv/bin/recloak demo
	rm -rf dist/.venv

clean: ## remove the environments and caches; nothing else
	rm -rf $(VENV) $(PEERS) $(RECBOLE) $(BENCH_PEERS) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
