#!/usr/bin/env bash
# Tests clients that third-party generators create from the contract that a running service serves. Each client is
# generated and compiled; then it signs in, creates an app, lists it and reads the feature values of the tiers
# (tests/clients/<language>). Clients that validate also read every example of the contract. The clients in C# and Kotlin
# are generated, and a script looks for code that does not compile or fails at run time.
#
# Called by .ci/clients.sh, for all languages or for the named ones. Expects a service in LABS_TEST_BASE and a user in
# LABS_TEST_PERSON_EMAIL and _PASSWORD. All output is in target/clients/. The generator's JAR file comes with its Python
# package; it contains the JSON library that the Java client needs, in a newer version than Debian's.
set -euo pipefail
cd "$(dirname "$0")/.."
stories=$PWD/tests/clients
libraries=$PWD/target/clients
made=$libraries/made
archive=$(echo "$libraries"/lib/python3*/site-packages/openapi_generator_cli/openapi-generator.jar)
mkdir -p "$made"
python=$libraries/bin/python
"$python" -c 'import sys, requests; sys.stdout.write(requests.get(sys.argv[1], timeout=30).text)' \
  "$LABS_TEST_BASE/v1/system/contract" >"$made/contract.yaml"
"$python" -B "$stories/examples.py" "$made/contract.yaml" "$made"
export LABS_TEST_MADE=$made

# generate <generator> <folder> <properties>: regenerates a client without its documentation and tests.
generate() {
  rm -rf "${made:?}/$2"
  java -jar "$archive" generate --input-spec "$made/contract.yaml" --generator-name "$1" --output "$made/$2" \
    --global-property apiDocs=false,modelDocs=false,apiTests=false,modelTests=false \
    --additional-properties "$3" >"$made/$1.log" 2>&1 || { cat "$made/$1.log" >&2; return 1; }
}

client_python() {
  generate python python packageName=labs_client
  PYTHONPATH=$made/python "$python" -B "$stories/python/main.py"
  PYTHONPATH=$made/python "$python" -B "$stories/python/examples.py"
}

client_typescript() {
  local folder=$made/typescript
  mkdir -p "$folder/made"
  cp -p "$stories"/typescript/* "$stories/typescript/.npmrc" "$folder/"
  if [ "$folder/package-lock.json" -nt "$folder/node_modules/.package-lock.json" ]; then
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error) >&2
  fi
  generate typescript-fetch typescript/made/classes importFileExtension=.js
  cd "$folder"
  npx --no-install openapi-typescript "$made/contract.yaml" --output made/contract.d.ts >"$made/openapi-typescript.log" 2>&1
  npx --no-install tsc
  node built/fetch.js
  node built/classes.js
}

client_java() {
  local path=$archive jar
  for jar in httpmime httpclient httpcore geronimo-annotation-1.3-spec; do path=$path:/usr/share/java/$jar.jar; done
  generate java java library=native,openApiNullable=false,enumUnknownDefaultCase=true,invokerPackage=labs,apiPackage=labs.api,modelPackage=labs.model
  mkdir -p "$made/java/built"
  find "$made/java/src/main" -name '*.java' >"$made/java/sources"
  javac -nowarn -proc:none -Xlint:none -d "$made/java/built" -cp "$path" "@$made/java/sources" "$stories"/java/*.java \
    2>"$made/javac.log" || { cat "$made/javac.log" >&2; return 1; }
  java -cp "$made/java/built:$path" Main
  java -cp "$made/java/built:$path" Examples
}

client_rust() {
  local folder=$made/rust
  mkdir -p "$folder/src"
  cp "$stories/rust/Cargo.toml" "$folder/"
  cp "$stories/rust/main.rs" "$folder/src/"
  # Uses the same library versions as the service for every shared dependency.
  if [ ! -f "$folder/Cargo.lock" ]; then cp Cargo.lock "$folder/"; fi
  # Asynchronous, which is the generator's default: the synchronous client does not compile if a body is a file.
  generate rust rust/labs-client library=reqwest,supportAsync=true,packageName=labs-client
  # Clippy does not check generated code.
  env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$folder/target" cargo run --quiet --manifest-path "$folder/Cargo.toml"
}

client_php() {
  generate php php invokerPackage=Labs,enumUnknownDefaultCase=true
  php "$stories/php/main.php"
  php "$stories/php/examples.php"
}

client_ruby() {
  generate ruby ruby gemName=labs_client,moduleName=LabsClient,enumUnknownDefaultCase=true
  ruby -I "$made/ruby/lib" "$stories/ruby/main.rb"
  ruby -I "$made/ruby/lib" "$stories/ruby/examples.rb"
}

# Without modules, because Debian's packages have the libraries of the client, and Go's module proxy may be unreachable.
client_go() {
  local folder=$made/go/src/story
  generate go go/src/labs packageName=labs,enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false,enumUnknownDefaultCase=true
  mkdir -p "$folder"
  cp -p "$stories"/go/*.go "$folder/"
  "$python" -B "$stories/go/models.py" "$made/examples.json" >"$folder/models.go"
  GO111MODULE=off GOPATH=$made/go:/usr/share/gocode GOCACHE=$made/go/cache go build -o "$made/go/story" story
  "$made/go/story"
}

client_orval() {
  local folder=$made/orval
  mkdir -p "$folder"
  cp -p "$stories"/orval/* "$stories/orval/.npmrc" "$folder/"
  if [ "$folder/package-lock.json" -nt "$folder/node_modules/.package-lock.json" ]; then
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error) >&2
  fi
  cd "$folder"
  rm -rf made
  LABS_TEST_CONTRACT=$made/contract.yaml npx --no-install orval --config orval.config.mjs >"$made/orval.log" 2>&1 ||
    { cat "$made/orval.log" >&2; return 1; }
  npx --no-install tsc
  node built/main.js
}

LANGUAGES=("$@")
if [ $# -eq 0 ]; then LANGUAGES=(python typescript java rust php ruby go orval); fi
for language in "${LANGUAGES[@]}"; do
  begun=$SECONDS
  # Runs in a subshell, so that its `cd` does not affect the next client.
  (set -e; "client_$language")
  echo "$language: its clients work, after $((SECONDS - begun)) s"
done
