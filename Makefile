# Needs Python 3.11 or newer, pip and make. Each target does its own set-up, and a second run starts at once.
#   PYTHON=python3.12      the Python that makes the environment; found by itself otherwise
#   TORCH_INDEX=URL        the package index to take torch from; the choice is kept
#   TORCH_CUDA=1           accept the CUDA build of torch that the usual index offers on some systems
#   CORPORA=FOLDER         where `make weights` finds the sets; docs/training.md says which
#   ARGS="--port 8600"     further words for `convgate app`, the benchmark, the pretraining and pytest

PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
TORCH_INDEX ?=
TORCH_CUDA ?=
CORPORA ?=
ARGS ?=

bin := $(VENV)/bin
set_up = python="$(PYTHON)"; \
	test -n "$$python" || { echo "No Python 3.11 or newer was found. Name one: make $@ PYTHON=/path/to/python3"; exit 1; }; \
	"$$python" tools/install.py --venv "$(VENV)" $(if $(TORCH_INDEX),--torch-index "$(TORCH_INDEX)") \
	$(if $(filter-out 0 no,$(TORCH_CUDA)),--torch-cuda)

sets = mix.train irc.train tiage.train mtrag.train.conversations

.DEFAULT_GOAL := help
.PHONY: help app install dev test slow adapters check format screenshots docs bench weights lock wheel clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*  ## /\1|/p' Makefile | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'
	@echo; sed -n 's/^#   /  /p' Makefile

app: install  ## open the app in a browser, on 127.0.0.1, with samples ready
	@"$(bin)/convgate" app $(ARGS)

install:  ## make .venv/bin/convgate
	@$(set_up) --extra app --extra train

dev:  ## the same with what tests and checks need
	@$(set_up) --extra dev

test: dev  ## all tests; those in a browser where Chromium is there
	@PYTHONDONTWRITEBYTECODE= "$(bin)/pytest" --numprocesses auto --maxprocesses 4 --dist loadgroup $(ARGS)

slow: dev  ## timing, scale, whole relevance sets, damaged files and kills
	@"$(bin)/pytest" --numprocesses auto --maxprocesses 4 --dist loadgroup -m "slow and not adapters" $(ARGS)

adapters:  ## adapters, server and MCP with the real packages of the extras
	@$(set_up) --extra conformance
	@"$(bin)/pytest" --numprocesses auto --maxprocesses 4 --dist loadgroup -m adapters tests/adapters tests/test_docs_site.py $(ARGS)

check: dev  ## format, lint, types, import rules
	@"$(bin)/ruff" format --check .
	@"$(bin)/ruff" check .
	@"$(bin)/mypy"
	@"$(bin)/lint-imports"

format: dev  ## format the code, and fix what the linter can
	@"$(bin)/ruff" format .
	@"$(bin)/ruff" check --fix .

screenshots: dev  ## pictures of every page, light and dark, wide and narrow, in screenshots/
	@"$(bin)/python" -m tools.screenshots $(ARGS)

docs:  ## the documentation site, in build/site
	@$(set_up) --extra docs
	@NO_MKDOCS_2_WARNING=1 "$(bin)/mkdocs" build --strict --quiet $(ARGS)
	@echo build/site/index.html

bench: install  ## speed and memory, as ratios within one run
	@"$(bin)/python" -m tools.bench $(ARGS)

weights: dev  ## train the weights that ship anew, from the sets in CORPORA
	@test -n "$(CORPORA)" || { echo "Say where the sets are: make weights CORPORA=FOLDER (docs/training.md)"; exit 1; }
	@"$(bin)/python" -m tools.pretraining train $(sets:%="$(CORPORA)/%.jsonl") --run build/weights $(ARGS)
	@rm -rf build/weights

wheel: dev  ## the installable file, in dist/
	@"$(bin)/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock:  ## newest versions of everything into constraints.txt
	@"$(PYTHON)" -m tools.lock

clean:  ## remove the environment and everything that can be made again
	@rm -rf "$(VENV)" build dist screenshots .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
