#!/usr/bin/env bash
# Runs a command with DATABASE_URL set to a temporary PostgreSQL with all migrations applied.
#
# Usage: .ci/with-postgres.sh <command> [arguments]
#
# For steps that must run before the service can be compiled, because the compiler checks its SQL against a database.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
need_postgresql
get_missing
postgresql_find || stop "PostgreSQL is in none of the usual places: name its programs' folder in LABS_PG_BIN."
bin=$POSTGRESQL_BIN
# A locale with Unicode case mapping, chosen as in src/cluster/data.rs.
letters=$(locale -a 2>/dev/null | grep -ix -e 'C\.UTF-*8' -e 'en_US\.UTF-*8' | head -n 1 || true)

place=$(mktemp -d "${TMPDIR:-/tmp}/labs-throwaway.XXXXXX")
# Without LC_ALL, PostgreSQL on macOS detects that it is multithreaded and exits.
as=(env LC_ALL=C)
if [ "$(id -u)" -eq 0 ]; then
  # PostgreSQL refuses to run as root.
  user=$(id -u postgres >/dev/null 2>&1 && echo postgres || echo nobody)
  chown "$user" "$place"
  as=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "${as[@]}")
fi
throw_away() {
  "${as[@]}" "$bin/pg_ctl" -D "$place/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap throw_away EXIT

here=$PWD
cd /
"${as[@]}" "$bin/initdb" -D "$place/data" -U labs --auth=trust -E UTF8 --locale=C --lc-ctype="${letters:-C}" \
  --no-sync >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$place/data" -w -l "$place/log" start >/dev/null \
  -o "-c listen_addresses= -c unix_socket_directories=$place -c fsync=off"
cd "$here"
export DATABASE_URL="postgres://labs@${place//\//%2F}/postgres"
for migration in migrations/*.sql; do
  "$bin/psql" -q -v ON_ERROR_STOP=1 "$DATABASE_URL" -f "$migration" >/dev/null
done
"$@"
