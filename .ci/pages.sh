# shellcheck shell=bash
# Builds the pages that the service embeds, before the service and only if their sources have changed.

PAGES_BUILT=target/pages-built

pages_are_stale() {
  if [ ! -f playground/package.json ]; then return 1; fi
  if [ ! -f "$PAGES_BUILT" ] || [ ! -d playground/packed ]; then return 0; fi
  # The reference is generated from the contract, and the playground contains the scopes of the schema's fields.
  [ -n "$(find playground contract/openapi.yaml contract/codes.yaml docs/glossary.md schema/schema.graphql -name node_modules -prune \
    -o -path playground/dist -prune -o -path playground/packed -prune -o -path playground/test -prune -o -path playground/sample -prune \
    -o -type f -newer "$PAGES_BUILT" -print -quit)" ]
}

pages_build() {
  get_newer_node
  say "Building the playground and the reference."
  pages_packages playground
  (cd playground && npm run --silent build) >&2
  mkdir -p target
  touch "$PAGES_BUILT"
}

# Installs the npm packages of a folder exactly as its lock file lists them, if the lock file changed.
pages_packages() {
  if [ "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]; then
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error) >&2
  fi
}
