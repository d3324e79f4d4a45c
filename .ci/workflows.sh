#!/usr/bin/env bash
# The workflows that stand in contract/workflows, each run by Redocly's `respect` against the service itself: an empty
# one of its own, in a folder that goes away. ./test calls this; it needs Python, Node and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/clients
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
staff LABS_TEST_REVIEWER reviewer
# Run where its settings lie.
(cd tests/contract-lint && "$libraries/bin/python" -B ../workflows/run.py "$LABS_TEST_BASE" "$folder/labs/mail" \
  "$PWD/node_modules/.bin/redocly")
