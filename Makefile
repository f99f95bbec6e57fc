# Every command of the project. Needs python3 (3.11 or newer), make and git; everything else is installed.
PYTHON ?= python3
VENV := .venv/bin/python
export HOST PORT VAR_DIR ALL ALLOW_MISSING COVERAGE FUZZ_SECONDS LOAD_MINUTES

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test faults load fuzz pythons check figures fix demo bench bench-statistics lock sbom release

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

setup: ## virtual environment in .venv, dependencies, .env with fresh secrets
	@$(PYTHON) tools/setup.py

setup-dev:
	@$(PYTHON) tools/setup.py --dev

run: setup ## start everything at http://127.0.0.1:8000 (HOST=, PORT=); Ctrl+C ends it
	@exec $(VENV) -m tools.launch --tied

test: setup-dev ## unit tests, and the main journeys with a real browser, PostgreSQL and Redis (ALL=1 runs every test; ALLOW_MISSING=1 to go without)
	@exec $(VENV) -m tools.run_tests

faults: setup-dev ## kill -9, full disks, lost databases, crowds, bad input with real servers; ends with a table
	@exec $(VENV) -m tools.run_faults

load: setup-dev ## people save for LOAD_MINUTES=10 on SQLite and on PostgreSQL while everything else runs; ends with tables
	@exec $(VENV) -m benchmarks.load

fuzz: setup-dev ## look for input that breaks a reader, and for acts that break a team, FUZZ_SECONDS=60 a target
	@$(VENV) -m tools.fuzz
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-60} exec $(VENV) -m pytest -q tests/fuzz/test_team.py

pythons: setup-dev ## whether games are measured byte for byte alike on every supported Python that can be had (var/pythons)
	@exec $(VENV) -m tools.run_pythons

check: setup-dev ## lint, format, types, templates, guards, migrations, production settings: shows all failures at once
	@exec $(VENV) -m tools.run_checks

figures: ## how large the code is: lines, records, handlers, words (python -m tools.figures --packages for each package)
	@$(PYTHON) -m tools.figures

fix: setup-dev ## repair what can be repaired automatically
	@$(VENV) -m tools.run_checks --fix

demo: setup ## move the database aside and fill a new one with the demo projects
	@exec $(VENV) -m tools.demo

bench: setup-dev ## measure start, memory, import, saves and pages over HTTP beside a bare Django (GAMES=1000; PEERS=1 adds Label Studio and Potato; WRITE=1 into docs/performance.md)
	@exec $(VENV) -m benchmarks.performance --games $(or $(GAMES),1000) $(if $(PEERS),--peers) $(if $(WRITE),--write)

bench-statistics: setup-dev ## how right the statistics are in drawn data whose truth is known (RUNS=0.1 for a tenth of the runs; WRITE=1 into docs)
	@exec $(VENV) -m benchmarks.statistics --runs $(or $(RUNS),1) $(if $(WRITE),--write)

lock: setup-dev ## update the lock files after a change of requirements*.txt
	@$(VENV) -m tools.lock

sbom: setup-dev ## write the bill of materials of what the site runs on, as CycloneDX JSON: var/evalsite.cdx.json
	@$(VENV) -m tools.sbom

release: setup-dev ## VERSION=0.3.0: number, date and tag what CHANGELOG.md has as unreleased; wheel, bill of materials and sums in var/release (BUILD=1: these alone)
	@exec $(VENV) -m tools.release $(if $(BUILD),--build,$(VERSION))
