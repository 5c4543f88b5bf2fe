# Each target installs what it needs into a virtual environment; VENV=folder chooses which.
VENV ?= .venv
PYTHON ?= python3
PROJECT ?= demo
IDEA ?= Build a URL shortener with an admin dashboard
ARGS ?=
PEERS ?=
CLIENTS ?=
JOBS ?= 5
EXAMPLES ?= 2000

# Make expands nothing in the request: a `$` in it is the user's.
override IDEA := $(value IDEA)
export IDEA

# The commands under test start hundreds of times: each finds its modules compiled.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(abspath $(VENV))/bin

.PHONY: help run test long web-long clients stacks scale fleet-run states mutants heldout statements commands shipped vendor pictures check corpus bench bench-check bench-peers chaos powercut fuzz format build clean

help:  ## List these commands
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 13

run: $(VENV)/.run  ## Turn IDEA="..." into a specification, in the folder PROJECT (demo/)
	@mkdir -p "$(PROJECT)" && { test -d "$(PROJECT)/.workflow" || mkdir -m 700 "$(PROJECT)/.workflow"; }
	@case "$$IDEA" in @-|@/*|"@~"*|-) ;; @*) IDEA="@$(CURDIR)/$${IDEA#@}" ;; esac; \
	cd "$(PROJECT)" && "$(BIN)/lifecycle" start "$$IDEA"
	@echo; echo "To go on with it:  . $(VENV)/bin/activate;  cd $(PROJECT);  lifecycle check"

# Five at a time on two cores: tests with real processes wait most of their time.
test: $(VENV)/.test  ## Run the tests, JOBS=5 at a time; ARGS="-k words" chooses
	@"$(BIN)/python" -m pytest -n $(JOBS) --dist worksteal -m "not long and not clients and not stacks and not scale" $(ARGS)

long: $(VENV)/.test  ## Run the tests marked `long`, two at a time
	@"$(BIN)/python" -m pytest -n 2 --dist worksteal -m long $(ARGS)

web-long: $(VENV)/.test  ## Measure the dashboard among 10,000 sessions, with 200 streams for MINUTES=1, under blows; FIGURES="sizes idle"
	@"$(BIN)/python" -m tests.web_load $(FIGURES) --minutes $(or $(MINUTES),1) $(ARGS)

clients: $(VENV)/.test .clients/.installed  ## Drive the real coding agents, with a stand-in for their models
	@LIFECYCLE_TEST_CLIENTS="$(CURDIR)/.clients/node_modules/.bin" "$(BIN)/python" -m pytest -m clients $(ARGS)

.clients/.installed: tests/clients/package.json
	@mkdir -p .clients/home && cp tests/clients/package.json .clients/
	@HOME="$(CURDIR)/.clients/home" npm install --prefix .clients --no-audit --no-fund --loglevel=error
	@touch $@

stacks: $(VENV)/.test  ## Build in TypeScript, Go, Rust and Java repositories; installs what they need, then runs offline
	@"$(BIN)/python" -m tests.stacks "$(CURDIR)/.stacks"
	@LIFECYCLE_TEST_STACKS="$(CURDIR)/.stacks" unshare --map-root-user --net -- \
	  sh -c 'ip link set lo up && exec "$$0" "$$@"' "$(BIN)/python" -m pytest -n 2 --dist worksteal -m stacks $(ARGS)

scale: $(VENV)/.test  ## Kill, stop and cut what runs on several machines: the engine, its relay, hosts, moves between cells
	@"$(BIN)/python" -m pytest -n 2 --dist worksteal -m scale $(ARGS)

fleet-run: $(VENV)/.test  ## Do TASKS=10000 by four hosts in network namespaces under 60 blows, as root; ARGS="--temporal --seed 7"
	@"$(BIN)/python" -m tests.fleet_run --tasks $(or $(TASKS),10000) $(ARGS)

states: $(VENV)/.test  ## Compare the store with a model over EXAMPLES=2000 random histories
	@EXAMPLES=$(EXAMPLES) "$(BIN)/python" -m pytest tests/integration/test_state_machine.py $(ARGS)

mutants: $(VENV)/.test  ## Plant known bugs, one at a time, and check that a test catches each
	@"$(BIN)/python" -m tests.mutants --jobs 2 $(ARGS)

heldout: $(VENV)/.test  ## Try adjacent releases of libraries as tasks, honestly and with cheats; ARGS="--recipes a,b"
	@"$(BIN)/python" -m tests.heldout $(ARGS)

statements: $(VENV)/.test  ## Compile the store's statements into the file that commands read, after a change of them
	@"$(BIN)/python" -m tests.compiled_statements

commands: $(VENV)/.test  ## Write the table of options by which plain command lines are read, after a change of a command
	@"$(BIN)/python" -m tests.command_table

shipped: $(VENV)/.test  ## Write what the shipped YAML files say as JSON, and templates as Python, which processes read, after a change of them
	@"$(BIN)/python" -m tests.shipped_values

vendor: $(VENV)/.test  ## Fetch the pages' JavaScript of others, as vendor.lock says; ARGS=--accept writes the lock
	@"$(BIN)/python" -m tests.vendored $(ARGS)

pictures: $(VENV)/.test  ## Make the pictures of docs/web.md anew, with the machine's Chromium and a Chinese font
	@"$(BIN)/python" -m tests.pictures

check: $(VENV)/.dev  ## Lint, formatting, types, import contracts
	@code=0; \
	"$(BIN)/ruff" check . || code=1; \
	"$(BIN)/ruff" format --check . || code=1; \
	"$(BIN)/mypy" || code=1; \
	"$(BIN)/lint-imports" || code=1; \
	exit $$code

corpus: $(VENV)/.test  ## Measure how well requests are read; ARGS="--aside --check" fails below the thresholds
	@"$(BIN)/python" -m tests.corpus $(ARGS)

bench: $(VENV)/.test  ## Measure hops, throughput, scale, processes; FIGURES="hop-busy idle" chooses
	@"$(BIN)/python" -m tests.bench $(FIGURES) $(ARGS)

bench-check: $(VENV)/.test  ## Measure in turn with the commit BASE=HEAD~1; fails when a figure is worse by a quarter
	@"$(BIN)/python" -m tests.bench.paired $(FIGURES) --base "$(or $(BASE),HEAD~1)" $(ARGS)

bench-peers: $(VENV)/.test  ## Run the same chains on other engines; PEERS="huey dbos" chooses
	@"$(BIN)/python" -m tests.bench.peers $(PEERS) $(ARGS)

chaos: $(VENV)/.test  ## Kill processes at random, with SEEDS=5 seeds; SEED=17 is the first
	@"$(BIN)/python" -m tests.chaos $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(ARGS)

powercut: $(VENV)/.test  ## Simulate a power cut at CUTS=3000 points of a writer's system calls
	@POWER_CUTS=$(or $(CUTS),3000) "$(BIN)/python" -m pytest -s -o timeout=900 tests/integration/test_power_cut.py $(ARGS)

fuzz: $(VENV)/.test  ## Fuzz with TIMES=50 times as many hostile answers, then coverage-guided for SECONDS=300
	@FUZZ_TIMES=$(or $(TIMES),50) "$(BIN)/python" -m pytest -o timeout=7200 tests/unit/test_fuzz_replies.py \
	  tests/unit/test_fuzz_documents.py tests/integration/test_fuzz_runs.py tests/integration/test_symlink_race.py $(ARGS)
	@if "$(BIN)/pip" install --quiet --disable-pip-version-check --editable '.[fuzz]'; \
	then "$(BIN)/python" -m tests.fuzz_replies $(or $(SECONDS),300); \
	else echo "atheris cannot be installed here: the coverage-guided part was left out"; fi

format: $(VENV)/.dev  ## Format the code
	@"$(BIN)/ruff" format .
	@"$(BIN)/ruff" check --fix .

build: $(VENV)/.test  ## Build the wheel and the source archive into dist/
	@"$(BIN)/python" -m build

clean:  ## Remove everything made here except the demo project
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .bench .clients .stacks .heldout .web-load
	@rm -rf "$(VENV)"

$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 ..."; exit 1; }
	@"$(PYTHON)" -m venv "$(VENV)" || { rm -rf "$(VENV)"; echo "No virtual environment could be made. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

# Stamps: what is installed already.
$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV) (once, about a minute)"
	@"$(BIN)/pip" install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	@"$(BIN)/pip" install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.run

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@"$(BIN)/pip" install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.test $(VENV)/.run
