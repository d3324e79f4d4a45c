#!/usr/bin/env bash
# shellcheck disable=SC2153 # LABS_TEST_BASE comes from the caller
# Tests clients that third-party generators create from the contract that a running service serves. Each client is
# generated and compiled; then it signs in, creates an app, lists it and reads the feature values of the tiers
# (tests/clients/<language>). Clients that validate also read every example of the contract. The clients in C# and
# Kotlin are generated, and a script looks for code that does not compile or fails at run time.
#
# Called by .ci/clients.sh, for all languages or for the named ones. Expects a service in LABS_TEST_BASE, a machine client
# in LABS_TEST_CLIENT_ID and _SECRET, and a user in LABS_TEST_PERSON_EMAIL and _PASSWORD. All output is in target/clients/.
# The generator's JAR file comes with its Python package; it contains the JSON library that the Java client needs, in a
# newer version than Debian's.
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

# Prints generator, folder, properties and new names of fields of a language's client. In Ruby, a field `hash` would
# replace the method of every object.
generator_of() {
  # Reads an unknown enumerated value as a constant, instead of failing.
  local unknown=enumUnknownDefaultCase=true
  local java_packages=invokerPackage=labs,apiPackage=labs.api,modelPackage=labs.model
  case $1 in
    python) echo python python packageName=labs_client ;;
    typescript) echo typescript-fetch typescript/made/classes importFileExtension=.js ;;
    java) echo java java library=native,openApiNullable=false,useSingleRequestParameter=true,$unknown,$java_packages ;;
    # Asynchronous, which is the generator's default: the synchronous client does not compile if a body is a file.
    rust) echo rust rust/labs-client library=reqwest,supportAsync=true,packageName=labs-client ;;
    php) echo php php invokerPackage=Labs,$unknown ;;
    ruby) echo ruby ruby gemName=labs_client,moduleName=LabsClient,$unknown hash=hash_value ;;
    go) echo go go/src/labs packageName=labs,enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false,$unknown ;;
    csharp) echo csharp csharp packageName=Labs ;;
    kotlin) echo kotlin kotlin packageName=labs,enumPropertyNaming=UPPERCASE,$unknown ;;
  esac
}

# Converts name=value,… to the fields of a mapping in YAML.
yaml_fields() { sed '/./!d; s/=/: "/g; s/,/", /g; s/$/"/' <<<"$1"; }

# generate <language>…: generates clients without documentation and tests, in one run, because a run of the generator
# takes longer to start than to generate another client.
generate() {
  local language generator folder properties names
  rm -rf "$made/settings"
  mkdir "$made/settings"
  for language; do
    read -r generator folder properties names < <(generator_of "$language") || continue
    rm -rf "${made:?}/$folder"
    cat >"$made/settings/$language.yaml" <<END
generatorName: $generator
inputSpec: $made/contract.yaml
outputDir: $made/$folder
globalProperties: {apiDocs: "false", modelDocs: "false", apiTests: "false", modelTests: "false"}
additionalProperties: {$(yaml_fields "$properties")}
nameMappings: {$(yaml_fields "$names")}
END
  done
  if [ -z "$(ls "$made/settings")" ]; then return; fi
  java -jar "$archive" batch --fail-fast --threads 2 "$made"/settings/*.yaml >"$made/generators.log" 2>&1 ||
    { cat "$made/generators.log" >&2; return 1; }
}

# Installs the npm packages of a folder if its lock file changed.
install_packages() {
  if [ "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]; then
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error) >&2
  fi
}

client_python() {
  PYTHONPATH=$made/python "$python" -B "$stories/python/main.py"
  PYTHONPATH=$made/python "$python" -B "$stories/python/examples.py"
}

client_typescript() {
  local folder=$made/typescript
  mkdir -p "$folder/made"
  cp -p "$stories"/typescript/* "$stories/typescript/.npmrc" "$folder/"
  install_packages "$folder"
  cd "$folder"
  npx --no-install openapi-typescript "$made/contract.yaml" --output made/contract.d.ts >"$made/openapi-typescript.log" 2>&1
  npx --no-install tsc
  node built/fetch.js
  node built/classes.js
  node built/discovery.js
}

client_java() {
  local path=$archive jar
  for jar in httpmime httpclient httpcore geronimo-annotation-1.3-spec; do path=$path:/usr/share/java/$jar.jar; done
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
  # Clippy does not check generated code.
  env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$folder/target" cargo run --quiet --manifest-path "$folder/Cargo.toml"
}

client_php() {
  php "$stories/php/main.php"
  php "$stories/php/examples.php"
}

# Without warnings, because the generated code has some.
client_ruby() {
  ruby -W0 -I "$made/ruby/lib" "$stories/ruby/main.rb"
  ruby -W0 -I "$made/ruby/lib" "$stories/ruby/examples.rb"
}

# Without modules, because Debian's packages have the libraries of the client, and Go's module proxy may be unreachable.
client_go() {
  local folder=$made/go/src/story
  mkdir -p "$folder"
  cp -p "$stories"/go/*.go "$folder/"
  "$python" -B "$stories/go/models.py" "$made/examples.json" >"$folder/models.go"
  GO111MODULE=off GOPATH=$made/go:/usr/share/gocode GOCACHE=$made/go/cache go build -o "$made/go/story" story
  "$made/go/story"
}

# Without a C# compiler.
client_csharp() {
  "$python" -B "$stories/csharp/check.py" "$made/csharp" "$made/csharp-patterns.json"
  check_patterns "$made/csharp-patterns.json"
}

# Kotlin uses Java's regular expressions. Its client does not validate: this checks the expressions of the contract.
client_kotlin() {
  test -f "$made/kotlin/src/main/kotlin/labs/apis/MarketplaceApi.kt"
  check_patterns "$made/patterns.json"
}
check_patterns() { java -cp "$archive" "$stories/java/Patterns.java" "$@"; }

client_orval() {
  local folder=$made/orval
  mkdir -p "$folder"
  cp -p "$stories"/orval/* "$stories/orval/.npmrc" "$folder/"
  install_packages "$folder"
  cd "$folder"
  rm -rf made
  LABS_TEST_CONTRACT=$made/contract.yaml npx --no-install orval --config orval.config.mjs >"$made/orval.log" 2>&1 ||
    { cat "$made/orval.log" >&2; return 1; }
  npx --no-install tsc
  node built/main.js
}

LANGUAGES=("$@")
if [ $# -eq 0 ]; then
  LANGUAGES=(python typescript java rust csharp kotlin orval)
  # The clients in PHP, Ruby and Go need Debian's packages.
  if [ "$(uname -s)" != Darwin ]; then LANGUAGES+=(php ruby go); fi
fi
begun=$SECONDS
generate "${LANGUAGES[@]}"
echo "generated in $((SECONDS - begun)) s"
for language in "${LANGUAGES[@]}"; do
  begun=$SECONDS
  # Runs in a subshell, so that its `cd` does not affect the next client.
  (set -e; "client_$language")
  echo "$language: its clients work, after $((SECONDS - begun)) s"
done
