# Shortcuts. ./test, ./run and the scripts in .ci/ define the steps themselves.
.DEFAULT_GOAL := help
.PHONY: help run test ci check fmt lint unit sweeps stories tidy contract playground bench soak pooler cluster mutants accept dist

export SQLX_OFFLINE := true

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build and start, with a private PostgreSQL in .labs
	./run

test: ## run all tests
	./test

ci: ## run all tests, as before a merge
	./test

check: ## compile, then compare contract, documents, schema and routes
	cargo check --workspace --all-targets
	cargo run --quiet --bin labs -- check

fmt: ## format the code
	cargo fmt --all

lint: ## check shell scripts, format, Clippy and licences
	./test scripts format lints licences

unit: ## run the unit tests
	./test unit

sweeps: ## run the tests of every operation
	cargo test --workspace --test tests sweeps::

stories: ## run the tests of single resources
	cargo test --workspace --test tests -- --skip sweeps:: --skip tidy::

tidy: ## check the rules of the sources and generated files
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

bench: ## compare the service with hand-written handlers; all reads: make bench -- --all; ten times the data: make bench -- --scale; each request once: ./test bench
	cargo build --release --locked --bin labs --package labs-bench --bin labs-bench --package labs
	target/release/labs-bench --labs target/release/labs $(ARGS)

SOAKED := soak:: model:: histories:: engagement::game:: engagement::headers_game:: engagement::votes_steps:: \
	marketplace::reviews_steps:: replicas_sign_and_verify rolling_restarts
# `make soak -- overload` measures overload instead. Make treats the argument as a goal.
ifeq (soak overload,$(MAKECMDGOALS))
.PHONY: overload
overload: soak
	@:
soak:
	cargo build --release --locked --package labs-bench --bin labs-bench
	target/release/labs-bench --overload $(ARGS)
else
soak: ## run the complete load tests over two replicas and 10^6 cases of the model, with results; more load than the service can answer: make soak -- overload
	LABS_TEST_SOAK=whole cargo test --workspace --test tests --locked -- $(SOAKED) --nocapture --test-threads=1
endif

# Number of times that each fault is injected: make cluster TIMES=17 injects 51 faults in total.
TIMES ?= 3
cluster: ## test failover of PostgreSQL under Patroni: kill, stop and disconnect the leader under load, with results
	cargo build --release --locked --bin labs
	.ci/cluster.sh target/release/labs --times $(TIMES) --back-within 5 $(ARGS)

mutants: ## insert defects, and fail if the tests miss one
	tests/mutants/run.py

accept: ## generate .sqlx, contract, schema, state machines, documents and schema.sql
	.ci/accept.sh

dist: ## build the release files in dist/: binary, symbols, SBOMs, checksums
	.ci/dist.sh
