# shellcheck shell=bash
# Requirements of the project and their installation. Sourced by ./run and ./test.
#
# The `need_*` functions check a requirement and record what is missing. `get_missing` prints the missing packages and
# installs them if it has permission. Otherwise it prints the exact command and stops.

MISSING=()    # names for messages
PACKAGES=()   # names for the package manager

say() { printf '%s\n' "$*" >&2; }
stop() { say "$(basename "$0"): $*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
is_macos() { [ "$(uname -s)" = Darwin ]; }

# Adds programs that macOS may have outside PATH: Homebrew's installer does not add its own folder, and its PostgreSQL
# formula does not add the folder of its programs.
macos_paths() {
  local prefix folder
  for prefix in /opt/homebrew /usr/local; do
    if ! have brew && [ -x "$prefix/bin/brew" ]; then PATH="$PATH:$prefix/bin"; fi
  done
  prefix=$(dirname "$(dirname "$(command -v brew || echo /usr/local/bin/brew)")")
  for folder in "$prefix"/opt/postgresql*/bin; do
    if [ -x "$folder/postgres" ]; then PATH="$PATH:$folder"; fi
  done
}
if is_macos; then macos_paths; fi

# need <name> <Debian package> <Homebrew formula>: records a missing program. Repeated calls record it once.
need() {
  local package=$2
  if is_macos; then package=$3; fi
  case " ${MISSING[*]-} " in *" $1 "*) ;; *) MISSING+=("$1") ;; esac
  case " ${PACKAGES[*]-} " in *" $package "*) ;; *) PACKAGES+=("$package") ;; esac
}

need_rust() {
  have cargo || PATH="$HOME/.cargo/bin:$PATH"
  have cargo || stop "Rust is missing. Install it as https://rustup.rs says, then run $0 again."
  refuse_old_rust
  if is_macos; then
    # macOS always has a `cc`; without the developer tools it only prompts to install them.
    xcode-select -p >/dev/null 2>&1 || stop "a C compiler is missing. Run: xcode-select --install"
  else
    have cc || need "a C compiler" build-essential ""
  fi
}

# Stops if Cargo is older than the version in Cargo.toml requires. If Cargo does not run, the build reports the reason.
refuse_old_rust() {
  local wanted found older advice="install it as https://rustup.rs says"
  wanted=$(sed -n 's/^rust-version = "\([0-9]*\.[0-9]*\).*/\1/p' Cargo.toml)
  found=$(cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9]*\.[0-9]*\).*/\1/p' || true)
  older=$(printf '%s\n' "$wanted" "${found:-$wanted}" | sort -t . -k 1,1n -k 2,2n | head -n 1)
  if [ "$older" = "$wanted" ]; then return; fi
  if have rustup; then advice="run: rustup update"; fi
  stop "Rust $wanted or newer is needed (found: $found): $advice; then run $0 again."
}

# A caller of this function needs a private PostgreSQL. On macOS, root cannot run it as another user.
need_postgresql() {
  if is_macos && [ "$(id -u)" -eq 0 ]; then
    stop "PostgreSQL refuses to run as root: on macOS start Labs as an ordinary user."
  fi
  if postgresql_find; then return; fi
  if [ -n "$POSTGRESQL_OLD" ]; then say "PostgreSQL $POSTGRESQL_MIN or newer is needed (found: $POSTGRESQL_OLD)."; fi
  need "a PostgreSQL server" postgresql postgresql@17
}

# Sets POSTGRESQL_BIN to the folder of a PostgreSQL that is new enough, and POSTGRESQL_OLD to the older versions. The
# service searches the same folders and requires the same version (src/cluster/binaries.rs).
POSTGRESQL_MIN=15
POSTGRESQL_BIN=
POSTGRESQL_OLD=
postgresql_find() {
  local folder major named=${LABS_PG_BIN:-${PG_BIN:-}}
  POSTGRESQL_OLD=
  for folder in "$named" "$(pg_config --bindir 2>/dev/null || true)" \
    "$(dirname "$(command -v postgres || echo /)")" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
    /Applications/Postgres.app/Contents/Versions/*/bin /Library/PostgreSQL/*/bin /opt/local/lib/postgresql*/bin; do
    major=$(postgresql_in "$folder")
    if [ "${major:-0}" -ge "$POSTGRESQL_MIN" ]; then
      # shellcheck disable=SC2034 # .ci/with-postgres.sh uses it
      POSTGRESQL_BIN=$folder
      return
    fi
    if [ -n "$named" ]; then
      stop "--pg-bin, LABS_PG_BIN or PG_BIN is $named: no PostgreSQL $POSTGRESQL_MIN or newer is there."
    fi
    if [ -n "$major" ]; then POSTGRESQL_OLD="$POSTGRESQL_OLD${POSTGRESQL_OLD:+, }$major in $folder"; fi
  done
  return 1
}

# Prints the major version of the PostgreSQL in a folder; prints nothing if the folder has none.
postgresql_in() {
  if [ ! -x "$1/initdb" ] || [ ! -x "$1/postgres" ]; then return; fi
  "$1/postgres" --version 2>/dev/null | sed -n 's/^.*(PostgreSQL) \([0-9][0-9]*\).*/\1/p' || true
}

# Whether apt would install a version that is too old (Ubuntu 22.04, Debian 11). The service would reject it, but only
# after the whole build. PostgreSQL's own repository (PGDG) has newer versions.
PGDG_PACKAGES="postgresql-common ca-certificates"
PGDG_ADD=/usr/share/postgresql-common/pgdg/apt.postgresql.org.sh
apt_postgresql_is_old() {
  local offered
  case " ${PACKAGES[*]-} " in *" postgresql "*) ;; *) return 1 ;; esac
  offered=$(apt_candidate postgresql)
  offered=${offered%%[!0-9]*}
  [ "${offered:-$POSTGRESQL_MIN}" -lt "$POSTGRESQL_MIN" ]
}

# Prints the version of a package that apt would install; prints nothing if apt does not have the package.
apt_candidate() {
  if is_macos || ! have apt-cache; then return; fi
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9].*\)$/\1/p' || true
}

# The build tools of the pages need Node 20.19, 22.13, 23.5 or newer (see their package-lock.json). Debian 12 has an
# older version: then npm installs a newer one into target/, for this project only.
NODE_FOLDER="$PWD/target/node"
NODE_PATHS="$NODE_FOLDER/node_modules/.bin:$NODE_FOLDER/node_modules/node/bin"
if [ -d "$NODE_FOLDER" ]; then PATH="$NODE_PATHS:$PATH"; fi
node_is_new_enough() {
  have node && node -e 'const [a, b] = process.versions.node.split(".");
    process.exit((a == 20 && b >= 19) || (a == 22 && b >= 13) || (a == 23 && b >= 5) || a > 23 ? 0 : 1)'
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
  node_is_new_enough || stop "Node 20.19, 22.13 or 24 is needed. Install one, then run $0 again."
}

need_python() {
  if ! have python3; then need "Python" python3 python; fi
  if ! python3 -c 'import ensurepip' 2>/dev/null; then need "Python's venv" python3-venv python; fi
}

# The generated Java client needs a compiler and the libraries that its generator does not include.
need_java() {
  if ! have javac || ! javac -version >/dev/null 2>&1; then need "a Java compiler" default-jdk-headless openjdk; fi
  if is_macos; then return; fi
  [ -e /usr/share/java/httpmime.jar ] || need "Java's HTTP library for forms" libhttpmime-java ""
  [ -e /usr/share/java/geronimo-annotation-1.3-spec.jar ] ||
    need "Java's common annotations" libgeronimo-annotation-1.3-spec-java ""
}

# The generated clients in PHP, Ruby and Go use libraries that Debian has as packages.
need_php() {
  local extension
  have php || need "PHP" php-cli ""
  for extension in curl mbstring; do
    php --ri "$extension" >/dev/null 2>&1 || need "PHP's extension $extension" "php-$extension" ""
  done
  [ -e /usr/share/php/GuzzleHttp/autoload.php ] || need "PHP's HTTP library" php-guzzlehttp-guzzle ""
}
need_ruby() {
  have ruby || need "Ruby" ruby ""
  ruby -e 'require "typhoeus"' 2>/dev/null || need "Ruby's HTTP library" ruby-typhoeus ""
}
need_go() {
  have go || need "Go" golang-go ""
  [ -e /usr/share/gocode/src/golang.org/x/oauth2 ] || need "Go's OAuth library" golang-golang-x-oauth2-dev ""
  [ -e /usr/share/gocode/src/gopkg.in/validator.v2 ] || need "Go's validator" golang-gopkg-validator.v2-dev ""
}

# systemd-analyze can check units without a running systemd. macOS does not have it.
need_systemd_analyze() { is_macos || have systemd-analyze || need "systemd-analyze" systemd ""; }

# promtool checks Prometheus rules. Debian's package would start a server on this machine, so the script extracts only
# the program into target/, for this project only.
PROMTOOL_FOLDER="$PWD/target/prometheus"
need_promtool() { if is_macos && ! have promtool; then need "promtool" "" prometheus; fi; }
get_promtool() {
  PATH="$PATH:$PROMTOOL_FOLDER/usr/bin"
  if have promtool; then return; fi
  have apt-get || stop "promtool is missing: install Prometheus, then run $0 again."
  say "Taking promtool out of Debian's package prometheus, into target/prometheus."
  extract_packages "$PROMTOOL_FOLDER" prometheus
  hash -r
}

# extract_packages <folder> <package>…: extracts Debian packages into a folder without installing them, because
# installed packages would start services on this machine. The folder exists only after all packages are extracted.
extract_packages() {
  local folder=$1 file
  shift
  rm -rf "$folder" "$folder.new"
  mkdir -p "$folder.new"
  if ! apt_download "$folder.new" "$@"; then
    if [ "$(id -u)" -ne 0 ]; then stop "apt does not bring $*. Run as root: apt-get update; then run $0 again."; fi
    apt-get update -qq >/dev/null
    apt_download "$folder.new" "$@" || stop "apt does not bring $*."
  fi
  for file in "$folder".new/*.deb; do dpkg-deb --extract "$file" "$folder.new"; done
  rm "$folder".new/*.deb
  mv "$folder.new" "$folder"
}

# Downloads packages into a folder.
apt_download() { (cd "$1" && shift && apt-get download -qq -o APT::Sandbox::User=root "$@" >/dev/null 2>&1); }

need_chromium() {
  local place
  if [ -n "${LABS_TEST_CHROMIUM:-}" ]; then return; fi
  for place in /usr/bin/chromium /usr/bin/google-chrome "/Applications/Google Chrome.app" /Applications/Chromium.app; do
    if [ -e "$place" ]; then return; fi
  done
  # Ubuntu's /usr/bin/chromium-browser either prints that the snap is missing or starts the snap.
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
  need "Chromium" chromium google-chrome
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
    if [ "$(id -u)" -eq 0 ]; then stop "Homebrew refuses to run as root. As an ordinary user, run: $command"; fi
    say "Installing them: $command"
    brew install "${PACKAGES[@]}" >&2
    macos_paths
  elif have apt-get; then
    command="apt-get install --no-install-recommends ${PACKAGES[*]}"
    if apt_postgresql_is_old; then
      say "apt's PostgreSQL is older than $POSTGRESQL_MIN: it has to come from PostgreSQL's own repository (PGDG)."
      command="apt-get install $PGDG_PACKAGES && $PGDG_ADD && $command"
    fi
    command="apt-get update && $command"
    if [ "$(id -u)" -eq 0 ]; then
      apt_install ""
    elif have sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
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

# Installs PACKAGES as root or through sudo ($1).
apt_install() {
  local by=$1
  say "Installing them: ${by:+$by }apt-get install --no-install-recommends ${PACKAGES[*]}"
  $by apt-get update -qq >/dev/null
  case " ${PACKAGES[*]} " in *" postgresql "*) apt_no_cluster "$by" ;; esac
  if apt_postgresql_is_old; then apt_add_pgdg "$by"; fi
  $by env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 \
    --no-install-recommends "${PACKAGES[@]}" >/dev/null
}

# Adds PostgreSQL's own repository. Its script waits for Enter.
apt_add_pgdg() {
  local by=$1
  say "Adding PostgreSQL's own repository (PGDG): $PGDG_ADD"
  # shellcheck disable=SC2086 # words
  $by env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 \
    --no-install-recommends $PGDG_PACKAGES >/dev/null
  printf '\n' | $by "$PGDG_ADD" >/dev/null
  if apt_postgresql_is_old; then
    stop "PGDG has no PostgreSQL $POSTGRESQL_MIN or newer for this system. Install one, then run $0 again."
  fi
}

# Labs runs a private PostgreSQL, so the package need not create and start a cluster for the whole machine. If the
# machine already has this setting, it stays unchanged.
apt_no_cluster() {
  local by=$1 file=/etc/postgresql-common/createcluster.conf
  if [ -e "$file" ]; then return; fi
  say "The package's own database is not created ($file: create_main_cluster = false)."
  $by mkdir -p "$(dirname "$file")"
  printf '%s\n' '# Written before postgresql was installed, for Labs, which brings its own cluster.' \
    '# "true" makes installing a PostgreSQL package create and start one, as is usual.' \
    'create_main_cluster = false' | $by tee "$file" >/dev/null
}
