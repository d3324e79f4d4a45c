#!/usr/bin/env bash
# Tests the service with third-party clients: a well-known OAuth library, a standard authenticator, GraphQL clients, and
# the conformance suite and the client of the Model Context Protocol. With the argument `generated`: clients from
# third-party generators, and the API client collections that the service generates.
# Called by ./test. Needs Python, Node and PostgreSQL; for `generated` also Java, and the languages of the clients.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/clients
export LABS_SECURITY_CONTACT=mailto:security@labs.example
# The conformance suite of the Model Context Protocol sends many messages in a second.
export LABS_MCP=true LABS_ANONYMOUS_PER_SECOND=1000
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
client LABS_TEST_CLIENT storefront
if [ "${1:-}" != generated ]; then
  "$libraries/bin/python" -B -m unittest discover --start-directory tests/clients
fi
{ read -r LABS_TEST_PERSON_EMAIL && read -r LABS_TEST_PERSON_PASSWORD; } < <(
  "$libraries/bin/python" -B tests/clients/administrator.py "$LABS_TEST_BASE" "$folder/labs/mail"
)
export LABS_TEST_PERSON_EMAIL LABS_TEST_PERSON_PASSWORD
if [ "${1:-}" != generated ]; then
  # A second staff member, because a code of an authenticator is valid only once.
  (
    staff LABS_TEST_STAFF administrator graphql
    cd tests/clients/graphql && npm test --silent
  )
  (cd tests/clients/agents && npm test --silent)
  exit
fi
.ci/generated.sh
.ci/collections.sh
