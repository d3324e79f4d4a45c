#!/usr/bin/env bash
# The files that the service makes of its own contract, in the programs that they are for: the collection for Postman in
# newman, the export for Insomnia in its importer, the types in TypeScript's compiler (tests/clients/collections).
#
# .ci/clients.sh calls this. The service has the sample data, and is thrown away.
set -euo pipefail
cd "$(dirname "$0")/.."
made=$PWD/target/clients/made/collections
mkdir -p "$made/made"
cp -p tests/clients/collections/* tests/clients/collections/.npmrc "$made/"
cp -p tests/clients/typescript/fetch.ts "$made/"
if [ "$made/package-lock.json" -nt "$made/node_modules/.package-lock.json" ]; then
  (cd "$made" && npm ci --no-audit --no-fund --loglevel=error) >&2
fi
# The platform's API is away, so that there is an import to be read about.
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
