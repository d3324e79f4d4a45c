#!/usr/bin/env bash
# The playground in a real Chromium against the service itself: an empty one of its own, in a folder that goes away,
# with two staff members made on the command line. ./test calls this; it needs Node, Chromium and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/service.sh
. .ci/service.sh
staff LABS_TEST_STAFF administrator
staff LABS_TEST_LIMITED reviewer

cd playground
node --test --test-concurrency=1 --test-reporter=spec test/playground.test.mjs test/daily.test.mjs test/look.test.mjs test/reference.test.mjs

# A pricing page's data, read by openapi-fetch with types made from the contract.
cd test/pricing
npm test --silent
