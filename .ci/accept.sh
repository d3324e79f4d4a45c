#!/usr/bin/env bash
# Regenerates the generated files that are committed: SQL check data (`.sqlx`), assembled contract, GraphQL schema,
# state machines, fixed documents, database schema.
# Review the diff before you commit it: the commit accepts the generated result.
set -euo pipefail
cd "$(dirname "$0")/.."

# The SQL check data comes first: nothing compiles without it. The script writes it to a separate folder, so that a
# failing statement does not destroy the existing data.
rm -rf target/sqlx
mkdir -p target/sqlx
touch schema/src/lib.rs schema/*/src/lib.rs
SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$PWD/target/sqlx .ci/with-postgres.sh \
  cargo check --workspace --exclude labs --exclude labs-bench --exclude labs-rest --tests
rm -rf .sqlx
mv target/sqlx .sqlx

export SQLX_OFFLINE=true
unset DATABASE_URL
cargo run --quiet --bin labs -- contract --assemble
cargo run --quiet --bin labs -- contract --schema
cargo run --quiet --bin labs -- contract --documents
# shellcheck disable=SC2016 # the inner shell has the address
.ci/with-postgres.sh sh -c 'cargo run --quiet --bin labs -- contract --tables "$DATABASE_URL"'
git status --short -- .sqlx contract schema rest/documents
