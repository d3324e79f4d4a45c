#!/usr/bin/env bash
# Runs tests with PgBouncer at hand: .ci/pooler.sh [what a test program takes]
#
# It is taken out of Debian's package, into target/pgbouncer, for this project alone: installed, it would start a service on
# this machine. ./test and `make pooler` call this.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
if is_macos || ! have apt-get; then
  say "PgBouncer is not tested: it takes Debian's package."
  exit 0
fi

# The program, and what every Debian has not.
tools=target/pgbouncer
packages=(pgbouncer libc-ares2 libevent-2.1-7)
take_packages() {
  rm -rf "$tools.new"
  mkdir -p "$tools.new"
  local package
  for package in "${packages[@]}"; do
    apt_download "$package" "$tools.new" || return 1
  done
}
if [ ! -d "$tools" ]; then
  say "Taking PgBouncer out of Debian's package, into $tools."
  if ! take_packages; then
    if [ "$(id -u)" -ne 0 ]; then stop "apt does not bring it. Run as root: apt-get update; then run $0 again."; fi
    apt-get update -qq >/dev/null
    take_packages || stop "apt does not bring these packages: ${packages[*]}"
  fi
  for file in "$tools".new/*.deb; do dpkg-deb --extract "$file" "$tools.new/all"; done
  mkdir "$tools.new/flat"
  find "$tools.new/all/usr" \( -path '*/sbin/pgbouncer' -o -name '*.so.*' \) -exec cp -L {} "$tools.new/flat" \;
  mv "$tools.new/flat" "$tools"
  rm -rf "$tools.new"
fi

export LABS_TEST_PGBOUNCER=$PWD/$tools
cargo test --workspace --test tests --locked -- "$@"
