# shellcheck shell=bash
# Starts a separate service for tests of external clients, with people and machine clients made on the command line. Sourced.

labs=$(realpath "${CARGO_TARGET_DIR:-target}/debug/labs")
folder=$(mktemp -d)
trap 'kill "$service" 2>/dev/null && wait "$service" || true; rm -rf "$folder"' EXIT

mkfifo "$folder/said"
# Without sample data, unless the sourcing script sets it.
export LABS_EMPTY=${LABS_EMPTY:-true}
"$labs" serve --listen 127.0.0.1:0 --folder "$folder/labs" --log warn >"$folder/said" &
service=$!
read -r first <"$folder/said"
export LABS_TEST_BASE=${first##* }
case $LABS_TEST_BASE in http://*) ;; *) echo "the service did not start: $first" >&2; exit 1 ;; esac

# said <line name> <text>: prints the value of a named line in the command's output.
said() { sed -n "s/^ *$1  *//p" <<<"$2"; }

# staff <variable prefix> <role> [name] [folder]: creates a staff member and exports the credentials for the tests. The name
# of the e-mail address is the role by default. The folder is the one of the service of this script by default.
staff() {
  local made name=${3:-$2}
  made=$("$labs" staff create --folder "${4:-$folder/labs}" --email "$name@labs.example" --name "Test of $name" --role "$2")
  export "$1_EMAIL=$name@labs.example"
  export "$1_PASSWORD=$(said password "$made")"
  export "$1_TOTP_SECRET=$(said authenticator "$made")"
}

# client <variable prefix> <scope>: creates a machine client with this scope.
client() {
  local made
  made=$("$labs" client create --folder "$folder/labs" --name "Test of $2" --scope "$2")
  export "$1_ID=$(said 'client id' "$made")"
  export "$1_SECRET=$(said 'client secret' "$made")"
}
