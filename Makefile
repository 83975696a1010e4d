# The two commands of the README are `make demo` and `make test`; each sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ROOMS := trees chains features parsing
SOURCES := pyproject.toml CMakeLists.txt $(shell find core -name '*.cpp' -o -name '*.h')

.PHONY: demo test lint sanitize stubs fuzz bench clean

demo: $(VENV)/.built
	$(BIN)/turbotree demo

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest
	$(BIN)/python tests/run_examples.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Editable, so that Python files are used where they stand; the core is built again when its
# sources change.
$(VENV)/.built: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.dev: $(VENV)/.built
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

# The extension modules' type stubs are generated and committed; a test keeps them true.
stubs: $(VENV)/.dev
	for room in $(ROOMS); do \
	  $(BIN)/python -m nanobind.stubgen -q -m turbotree.$$room._core \
	    -o src/turbotree/$$room/_core.pyi; done

clean:
	rm -rf build dist $(VENV) .venv-sanitize .mypy_cache .ruff_cache .pytest_cache .hypothesis
