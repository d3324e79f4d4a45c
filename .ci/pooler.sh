#!/usr/bin/env bash
# Runs tests with PgBouncer available.
#
# Usage: .ci/pooler.sh [arguments of the test binary]
#
# The script extracts PgBouncer from its Debian package into target/pgbouncer, for this project only. Called by ./test
# and `make pooler`.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
if is_macos || ! have apt-get; then
  say "PgBouncer is not tested: it takes Debian's package."
  exit 0
fi

# PgBouncer and the libraries that a default Debian does not have.
tools=target/pgbouncer
packages=(pgbouncer libc-ares2 libevent-2.1-7)
if [ ! -d "$tools" ]; then
  say "Taking PgBouncer out of Debian's package, into $tools."
  extract_packages "$tools.packages" "${packages[@]}"
  rm -rf "$tools.new"
  mkdir "$tools.new"
  find "$tools.packages/usr" \( -path '*/sbin/pgbouncer' -o -name '*.so.*' \) -exec cp -L {} "$tools.new" \;
  rm -rf "$tools.packages"
  mv "$tools.new" "$tools"
fi

export LABS_TEST_PGBOUNCER=$PWD/$tools
cargo test --workspace --test tests --locked -- "$@"
