#!/usr/bin/env bash
# The pages in a real Chromium against the service itself: an empty one of its own, in a folder that goes away, with two
# staff members and a program made on the command line, and a company that registered. The samples of the reference run
# against it as well. ./test calls this; it needs Node, Chromium, Python and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/python.sh
. .ci/python.sh
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
staff LABS_TEST_LIMITED reviewer
client LABS_TEST_CLIENT storefront
{ read -r LABS_TEST_PERSON_EMAIL && read -r LABS_TEST_PERSON_PASSWORD; } < <(
  "$libraries/bin/python" -B tests/clients/administrator.py "$LABS_TEST_BASE" "$folder/labs/mail"
)
export LABS_TEST_PERSON_EMAIL LABS_TEST_PERSON_PASSWORD LABS_TEST_PYTHON="$libraries/bin/python"

cd playground
node --test --test-concurrency=1 --test-reporter=spec \
  test/playground.test.mjs test/reference.test.mjs test/pages.test.mjs test/samples.test.mjs

# A pricing page's data, read by openapi-fetch with types made from the contract.
cd test/pricing
npm test --silent
