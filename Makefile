# The two commands to begin with:  make demo   and   make test
# Both set up what they need in .venv, which belongs to this folder alone.

PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
# Tests side by side; without options pytest runs them one by one.
BESIDE := -n auto --maxprocesses 4 --dist worksteal
KERNEL := $(wildcard treemip/core/compiled/*.cpp treemip/core/compiled/*.h)
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.PHONY: help setup solvers editors demo test check truth fuzz golden docs site gallery bench comparison cliffs clean

help:
	@echo "make demo    set up, solve specs/iris.tree, show the verified tree"
	@echo "make test    set up, run checks and tests (minutes)"
	@echo "make check   ruff, mypy, import-linter, generated files"
	@echo "make editors install what the tests of editors/ need from npm, without which they are skipped"
	@echo "make truth   the longer proofs, all cells of the targets, more random cases (many hours of one core)"
	@echo "make fuzz    random and hostile inputs for half an hour; FUZZ='--seed 2 --minutes 5' for others"
	@echo "make golden  rewrite the expected files; review the diff"
	@echo "make docs    regenerate what is made from the code: pages of docs/, parse tables, colours of editors"
	@echo "make site    build the documentation as a site in build/site, and check its links and looks"
	@echo "make gallery solve all examples of the gallery anew (10 minutes); make docs solves those that changed"
	@echo "make bench   compile benchmarks beside other tools"
	@echo "make comparison  all formulations on six tables (20 minutes); writes docs/comparison.md"
	@echo "make cliffs  what one more word in a spec costs (hours); writes benchmarks/tables/cliffs.md"
	@echo "make clean   remove .venv and caches"

setup: .venv/.ready

.venv/.ready: .venv/.core
	$(PIP) --editable '.[test]'
	@touch $@

# treemip with what it needs for the demo; the rest is for tests.
.venv/.core: pyproject.toml hatch_build.py $(KERNEL)
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	  { echo "treemip needs Python 3.11 or later; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "No virtual environment could be made. On Debian: apt-get install python3-venv"; exit 1; }
	$(PIP) --editable '.[sat]'
	@touch $@

solvers: .venv/.solvers

# Where a wheel is missing, the others are installed, and the tests say which cells they skip.
.venv/.solvers: .venv/.ready
	@$(PIP) --editable '.[solvers]' || for one in gurobi cplex xpress copt mosek ortools; do \
	  $(PIP) --editable ".[$$one]" || echo "note: no $$one for this Python, so its tests are skipped"; \
	done
	@touch $@

# The extension, the grammars and the mode for editors are tested under node.
editors: editors/node_modules/.package-lock.json

editors/node_modules/.package-lock.json: editors/package.json editors/package-lock.json
	@command -v npm >/dev/null || { echo "make editors needs npm"; exit 1; }
	cd editors && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

demo: .venv/.core
	$(BIN)/treemip check --data specs/iris.tree
	@mkdir -p .venv/demo
	$(BIN)/treemip compile specs/iris.tree -o .venv/demo/iris.mps
	$(BIN)/treemip solve specs/iris.tree -o .venv/demo/iris.json
	$(BIN)/treemip verify .venv/demo/iris.json
	$(BIN)/treemip predict .venv/demo/iris.json specs/data/iris.csv -o .venv/demo/iris.csv

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tests/docs/made_pages.py --check

test: solvers check
	$(PYTEST) -m "not truth" $(BESIDE)

truth: setup solvers
	@echo "Many hours on one core; one room alone: $(PYTEST) -m truth --hypothesis-profile truth tests/ROOM"
	$(PYTEST) -m "truth or hypothesis" --hypothesis-profile truth

# Two jobs; what is found is saved in .fuzz and can be replayed: tests/fuzz/README.md.
fuzz: setup solvers
	$(BIN)/python -m tests.fuzz $(FUZZ)

golden: setup solvers
	$(PYTEST) -m "not truth" --update-goldens

docs: setup
	$(BIN)/python tests/docs/made_pages.py

# How pages look is checked where Chromium and npm are.
site: setup
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -d build/site.doctrees docs build/site
	@command -v npm >/dev/null && cd tests/site && npm ci --ignore-scripts --no-audit --no-fund --silent || true
	$(BIN)/python tests/site/check.py build/site

gallery: setup
	$(BIN)/python docs/_site/runs.py --all

bench: setup
	$(BIN)/python benchmarks/compile.py --setup
	$(BIN)/python benchmarks/compile.py

# Runs that are done are kept in benchmarks/data/made/comparison: after Ctrl-C it goes on.
comparison: setup
	nice -n 12 $(BIN)/python benchmarks/comparison.py

# Kept like those of the comparison, in benchmarks/data/made/cliffs; CLIFFS='--formulation oct' for a part.
cliffs: setup
	$(BIN)/python benchmarks/cliffs.py $(CLIFFS)

clean:
	rm -rf editors/node_modules editors/vscode/dist
	rm -rf tests/site/node_modules build/site build/site.doctrees docs/api docs/errors docs/files docs/gallery
	rm -rf .venv .fuzz .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
