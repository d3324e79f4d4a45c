# Shortcuts. ./test, ./run and the scripts in .ci/ define the steps themselves.
.DEFAULT_GOAL := help
.PHONY: help run test ci check fmt lint unit sweeps stories tidy contract playground bench soak pooler cluster mutants accept dist

export SQLX_OFFLINE := true

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build and start, with a private PostgreSQL in .labs
	./run

test: ## everything
	./test

ci: ## everything, as before a merge
	./test

check: ## does it compile, do contract, documents, schema and router agree
	cargo check --workspace --all-targets
	cargo run --quiet --bin labs -- check

fmt: ## lay out the code
	cargo fmt --all

lint: ## scripts, layout, lints, licences
	./test scripts format lints licences

unit: ## rules and parts
	./test unit

sweeps: ## the sweeps over every operation
	cargo test --workspace --test tests sweeps::

stories: ## what only a person could have decided
	cargo test --workspace --test tests -- --skip sweeps:: --skip tidy::

tidy: ## the rules of the sources
	cargo test --workspace --test tests tidy::

contract: ## lint the contract
	./test contract

playground: ## build the pages and test them in Chromium
	./test browser

# Arguments after `make bench --` are for the benchmark. Make treats them as goals, so each gets an empty recipe.
ifeq (bench,$(firstword $(MAKECMDGOALS)))
WORDS := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
ARGS += $(WORDS)
.PHONY: $(WORDS)
$(sort $(WORDS)): bench
	@:
endif

bench: ## what the service costs beside hand-written handlers, in ratios; all reads: make bench -- --all; storefront and board over ten times the tables: --scale
	cargo build --release --locked --bin labs --package labs-bench --bin labs-bench --package labs
	target/release/labs-bench --labs target/release/labs $(ARGS)

soak: ## what must hold for long and under load, whole, with its figures
	LABS_TEST_SOAK=whole cargo test --workspace --test tests --locked -- soak:: replicas_sign_and_verify rolling_restarts --nocapture --test-threads=1

pooler: ## every story once behind PgBouncer, by sessions
	LABS_TEST_POOLED=yes .ci/pooler.sh

# Number of times that each fault is injected: make cluster TIMES=17 injects 51 faults in total.
TIMES ?= 3
cluster: ## failover under Patroni: the leader is killed, stopped and cut off under load, nothing may be lost; with its figures
	cargo build --release --locked --bin labs
	.ci/cluster.sh target/release/labs --times $(TIMES) --back-within 5 $(ARGS)

mutants: ## plant weakenings of the guards and see that tests notice each
	tests/mutants/run.py

accept: ## make anew what is generated: .sqlx, contract, schema, documents
	.ci/accept.sh

dist: ## what is delivered, in dist/: program, symbols, bills of materials, checksums
	.ci/dist.sh
