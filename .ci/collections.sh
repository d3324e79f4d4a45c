#!/usr/bin/env bash
# Tests the files that the service generates from its contract with the programs that consume them: the Postman
# collection in newman, the Insomnia export in Insomnia's importer, the types in the TypeScript compiler
# (tests/clients/collections).
#
# Called by .ci/clients.sh. The service runs with sample data and is deleted afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
made=$PWD/target/clients/made/collections
mkdir -p "$made/made"
cp -p tests/clients/collections/* tests/clients/collections/.npmrc "$made/"
cp -p tests/clients/typescript/fetch.ts "$made/"
if [ "$made/package-lock.json" -nt "$made/node_modules/.package-lock.json" ]; then
  (cd "$made" && npm ci --no-audit --no-fund --loglevel=error) >&2
fi
# The platform's API is unreachable, so that the sample data contains a failed import to read.
echo token >"$made/token"
export LABS_EMPTY=false LABS_STATISTICS_URL=http://127.0.0.1:9 LABS_STATISTICS_TOKEN_FILE=$made/token LABS_STATISTICS_ALLOW_PRIVATE=true
# shellcheck source=.ci/service.sh
. .ci/service.sh
export LABS_TEST_SHEET=$folder/labs/sign-ins.txt
python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())' \
  "$LABS_TEST_BASE/v1/publication/public/developer-resources/typescript-types/artefact" >"$made/made/contract.d.ts"
cd "$made"
npx --no-install tsc
echo "typescript: the types compile, and openapi-fetch takes them"
node insomnia.js
node run.js
