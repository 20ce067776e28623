# Everything this checkout can do; `make` alone lists it.

BIN := .venv/bin
# The only library without a hash in the lock: its builds differ from place to place.
export TORCH := 2.13.0
# More arguments for pip when it installs torch, for example where its CPU build lies.
export TORCH_ARGS
# The Python to build .venv with; the first of python3, python3.13 ... that is new enough when not given.
export PYTHON

ARGS ?=
LABELLED ?= data/labelled
COGGED = $(wildcard README.md THIRD_PARTY.md docs/*.md)
COG = $(BIN)/cog -I scripts --verbosity=1

.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast check docs lock evaluate verify fit voice clean venv

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: venv ## Install what is locked, assemble and verify the models; at once when nothing changed
	@$(BIN)/tutor setup

run: setup ## Set up, start the tutor and open its page (ARGS="--port 8000 --no-browser")
	@$(BIN)/tutor serve $(ARGS)

test: setup ## Set up and run every test (ARGS="-k words")
	@$(BIN)/python -m pytest $(ARGS)

test-fast: venv ## Run the tests that need neither the models nor a browser
	@$(BIN)/python -m pytest -m "not real and not browser" -n auto --dist loadfile $(ARGS)

check: venv ## Lint, format, types, the walls between rooms, drift of generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/tutor bank check --bank .
	$(if $(COGGED),$(COG) --check --check-fail-msg="run make docs" $(COGGED))

docs: venv ## Write anew what is generated in README.md, THIRD_PARTY.md and docs/
	$(if $(COGGED),$(COG) -r $(COGGED))

lock: venv ## Resolve the newest allowed libraries into requirements.lock
	@echo "torch==$(TORCH)" > .venv/torch.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev --constraints .venv/torch.txt --no-emit-package torch --upgrade \
		--universal --generate-hashes --no-emit-index-url --no-emit-find-links --quiet \
		--custom-compile-command "make lock" --output-file requirements.lock

evaluate: setup ## Grade the labelled answers (LABELLED=folder) and print the agreement; the report goes to build/
	@mkdir -p build
	$(BIN)/tutor evaluate --bank $(LABELLED)/bank.jsonl --answers $(LABELLED)/answers.jsonl --out build/agreement.json

verify: setup ## Grade every reference answer under its own rubric into data/verified.json; goes on where it stopped
	$(BIN)/tutor bank verify --bank . --out data/verified.json $(ARGS)

fit: setup ## Fit the fusion on data/labelled, cross-validated by question, and print its weights
	@$(BIN)/python scripts/fit_fusion.py

voice: venv ## Install the voice that reads texts aloud for the tests, into build/voice (piper, GPL: a tool, no part of this)
	@scripts/voice.sh

clean: ## Remove .venv, caches and build/; your answers and the models stay
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@scripts/venv.sh
