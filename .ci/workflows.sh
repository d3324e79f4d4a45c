#!/usr/bin/env bash
# Runs each workflow in contract/workflows with Redocly's `respect` against an empty service in a temporary folder.
# Called by ./test. Needs Python, Node and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/clients
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
staff LABS_TEST_REVIEWER reviewer
# Runs in the folder that contains the linter's configuration.
(cd tests/contract-lint && "$libraries/bin/python" -B ../workflows/run.py "$LABS_TEST_BASE" "$folder/labs/mail" \
  "$PWD/node_modules/.bin/redocly")
