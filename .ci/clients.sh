#!/usr/bin/env bash
# A well-known OAuth library, a standard authenticator, clients that others' generators make, and the collections that the
# service makes, against the service itself. ./test calls this; it needs Python, Java, Node and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
python_libraries tests/clients
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
client LABS_TEST_CLIENT storefront
"$libraries/bin/python" -B -m unittest discover --start-directory tests/clients
{ read -r LABS_TEST_PERSON_EMAIL && read -r LABS_TEST_PERSON_PASSWORD; } < <(
  "$libraries/bin/python" -B tests/clients/administrator.py "$LABS_TEST_BASE" "$folder/labs/mail"
)
export LABS_TEST_PERSON_EMAIL LABS_TEST_PERSON_PASSWORD
.ci/generated.sh
.ci/collections.sh
