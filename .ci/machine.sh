# shellcheck shell=bash
# What this project needs of a machine, and how it gets it. Sourced by ./run and ./test.
#
# `need_*` look whether something is there and note what is missing; `get_missing` says what it is
# going to install, installs it where it may, and stops with the exact command where it may not.

MISSING=()    # what people call it
PACKAGES=()   # what the package manager calls it

say() { printf '%s\n' "$*" >&2; }
stop() { say "$(basename "$0"): $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
is_macos() { [ "$(uname -s)" = Darwin ]; }

# need <what> <Debian package> <Homebrew formula>
need() {
  MISSING+=("$1")
  if is_macos; then PACKAGES+=("$3"); else PACKAGES+=("$2"); fi
}

need_rust() {
  have cargo || PATH="$HOME/.cargo/bin:$PATH"
  have cargo || stop "Rust is missing. Install it as https://rustup.rs says, then run $0 again."
  if ! have cc; then
    if is_macos; then stop "a C compiler is missing. Run: xcode-select --install"; fi
    need "a C compiler" build-essential ""
  fi
}

# The service looks in the same places and asks for the same version (src/cluster/binaries.rs).
POSTGRESQL_MIN=15
need_postgresql() {
  local folder major seen="" named=${LABS_PG_BIN:-${PG_BIN:-}}
  for folder in "$named" "$(pg_config --bindir 2>/dev/null || true)" \
    "$(dirname "$(command -v postgres || echo /)")" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
    major=$(postgresql_in "$folder")
    if [ "${major:-0}" -ge "$POSTGRESQL_MIN" ]; then return; fi
    if [ -n "$named" ]; then stop "LABS_PG_BIN or PG_BIN is $named: no PostgreSQL $POSTGRESQL_MIN or newer is there."; fi
    if [ -n "$major" ]; then seen="$seen${seen:+, }$major in $folder"; fi
  done
  if [ -n "$seen" ]; then say "PostgreSQL $POSTGRESQL_MIN or newer is needed (found: $seen)."; fi
  apt_has_postgresql
  need "a PostgreSQL server" postgresql postgresql@17
}

# The major version of the PostgreSQL in a folder; nothing where there is none.
postgresql_in() {
  if [ ! -x "$1/initdb" ] || [ ! -x "$1/postgres" ]; then return; fi
  "$1/postgres" --version 2>/dev/null | sed -n 's/^.*(PostgreSQL) \([0-9][0-9]*\).*/\1/p' || true
}

# Stops where apt would bring an older one (Ubuntu 22.04, Debian 11): the service would refuse it once all is built.
apt_has_postgresql() {
  local offered
  offered=$(apt_candidate postgresql)
  offered=${offered%%[!0-9]*}
  if [ "${offered:-$POSTGRESQL_MIN}" -ge "$POSTGRESQL_MIN" ]; then return; fi
  stop "PostgreSQL $POSTGRESQL_MIN or newer is needed, and apt has $offered. Add PostgreSQL's own repository (PGDG). \
Run as root: apt-get update && apt-get install postgresql-common && \
/usr/share/postgresql-common/pgdg/apt.postgresql.org.sh; then run $0 again."
}

# The version of a package that apt would install; nothing where it knows none.
apt_candidate() {
  if is_macos || ! have apt-cache; then return; fi
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9].*\)$/\1/p' || true
}

# Node 20.19 is what the pages' tools ask for. Debian 12 has an older one: then npm brings a newer
# one into target/, for this project alone.
NODE_FOLDER="$PWD/target/node"
NODE_PATHS="$NODE_FOLDER/node_modules/.bin:$NODE_FOLDER/node_modules/node/bin"
if [ -d "$NODE_FOLDER" ]; then PATH="$NODE_PATHS:$PATH"; fi
node_is_new_enough() {
  have node && node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
}
need_node() {
  if ! have node; then need "Node" nodejs node; fi
  if ! have npm; then need "npm" npm node; fi
}
get_newer_node() {
  if node_is_new_enough; then return; fi
  say "Node $(node --version 2>/dev/null) is too old for the pages: npm installs Node 22 in target/node."
  npm install --prefix "$NODE_FOLDER" --no-save --no-audit --no-fund --loglevel=error node@22 npm@10 >&2
  PATH="$NODE_PATHS:$PATH"
  hash -r
  node_is_new_enough || stop "Node 20.19 or newer is needed. Install one, then run $0 again."
}

need_python() {
  if ! have python3; then need "Python" python3 python; fi
  if ! python3 -c 'import ensurepip' 2>/dev/null; then need "Python's venv" python3-venv python; fi
}

need_chromium() {
  local place
  if [ -n "${LABS_TEST_CHROMIUM:-}" ]; then return; fi
  for place in /usr/bin/chromium /usr/bin/google-chrome "/Applications/Google Chrome.app" /Applications/Chromium.app; do
    if [ -e "$place" ]; then return; fi
  done
  # Ubuntu's /usr/bin/chromium-browser only says that the snap is missing, or starts it.
  for place in /snap/bin/chromium /usr/bin/chromium-browser; do
    if [ -x "$place" ] && ! is_note_about_snap "$place"; then
      export LABS_TEST_CHROMIUM=$place
      return
    fi
  done
  if grep -qs '^ID=ubuntu' /etc/os-release && [ -z "$(apt_candidate chromium)" ]; then
    stop "Chromium is missing, and Ubuntu has it as a snap only. Run as root: snap install chromium; \
then run $0 again. Or name another in LABS_TEST_CHROMIUM."
  fi
  need "Chromium" chromium chromium
}

is_note_about_snap() { [ "$1" = /usr/bin/chromium-browser ] && grep -qs /snap/bin/chromium "$1"; }

get_missing() {
  if [ ${#MISSING[@]} -eq 0 ]; then return; fi
  local list command
  list=$(printf '%s, ' "${MISSING[@]}")
  say "Missing: ${list%, }."
  if is_macos; then
    command="brew install ${PACKAGES[*]}"
    have brew || stop "Homebrew is missing too. Install it as https://brew.sh says, then run: $command"
    say "Installing them: $command"
    brew install "${PACKAGES[@]}" >&2
  elif have apt-get; then
    command="apt-get update && apt-get install --no-install-recommends ${PACKAGES[*]}"
    if [ "$(id -u)" -eq 0 ]; then
      apt_install ""
    elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      apt_install sudo
    else
      stop "this user may not install them. Run as root: $command"
    fi
  else
    stop "install them with this system's package manager (on Debian: apt-get update && apt-get install ${PACKAGES[*]}), then run $0 again."
  fi
  MISSING=()
  PACKAGES=()
  hash -r
}

# Installs PACKAGES, as root or through sudo ($1).
apt_install() {
  local by=$1
  say "Installing them: ${by:+$by }apt-get install --no-install-recommends ${PACKAGES[*]}"
  $by apt-get update -qq >/dev/null
  case " ${PACKAGES[*]} " in *" postgresql "*)
    apt_has_postgresql
    apt_no_cluster "$by"
    ;;
  esac
  $by env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 \
    --no-install-recommends "${PACKAGES[@]}" >/dev/null
}

# Labs has a PostgreSQL of its own: the package need not make and start one for the whole machine.
# A machine that was told otherwise stays as it is.
apt_no_cluster() {
  local by=$1 file=/etc/postgresql-common/createcluster.conf
  if [ -e "$file" ]; then return; fi
  say "The package's own database is not created ($file: create_main_cluster = false)."
  $by mkdir -p "$(dirname "$file")"
  printf '%s\n' '# Written before postgresql was installed, for Labs, which brings its own cluster.' \
    '# "true" makes installing a PostgreSQL package create and start one, as is usual.' \
    'create_main_cluster = false' | $by tee "$file" >/dev/null
}
