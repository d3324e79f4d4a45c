#!/usr/bin/env bash
# Makes anew what is generated and committed: SQL checks, assembled contract, GraphQL schema, documents. Read the difference before committing it: that is what "accept" means.
set -euo pipefail
cd "$(dirname "$0")/.."

# The checks of the SQL come first: without them nothing compiles. They are made beside the old
# ones, so that a statement that fails loses none.
rm -rf target/sqlx
mkdir -p target/sqlx
touch schema/src/lib.rs
SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$PWD/target/sqlx .ci/with-postgres.sh \
  cargo check --package labs-schema --tests
rm -rf .sqlx
mv target/sqlx .sqlx

export SQLX_OFFLINE=true
unset DATABASE_URL
cargo run --quiet --bin labs -- contract --assemble
cargo run --quiet --bin labs -- contract --schema
cargo run --quiet --bin labs -- contract --documents
git status --short -- .sqlx contract schema rest/documents
