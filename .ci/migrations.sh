#!/usr/bin/env bash
# Lints the migrations that change an existing database: locks that stop readers or writers, rewrites of tables, missing
# timeouts. The first ten migrations create the database.
# Called by ./test. Needs Python.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/migrations
# Each migration runs in a transaction, so a constraint of a new table, or a statement without `if not exists`, is safe.
shopt -s nullglob
"$libraries/bin/squawk" --assume-in-transaction --pg-version 15 migrations/001[1-9]_*.sql migrations/00[2-9]?_*.sql
