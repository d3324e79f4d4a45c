#!/usr/bin/env bash
# Tests failover on a real cluster of three PostgreSQL servers.
#
# Usage: .ci/cluster.sh <path of the labs binary> [arguments of tests/cluster/run.py]
#
# The script extracts Patroni, etcd and HAProxy from Debian packages into target/patroni and installs nothing
# system-wide. Called by ./test and `make cluster`. Needs PostgreSQL and Python.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
# shellcheck source=.ci/python.sh
. .ci/python.sh

if is_macos || ! have apt-get; then
  say "The cluster is not tested: it takes Debian's packages of Patroni, etcd and HAProxy."
  exit 0
fi
need_postgresql
need_python
# Debian packages Patroni's modules for Debian's own Python.
[ -x /usr/bin/python3 ] || need "Debian's Python" python3 python
get_missing
postgresql_find || stop "PostgreSQL is in none of the usual places: name its programs' folder in LABS_PG_BIN."

# The Debian packages that contain them, without the dependencies that every Debian has.
tools=target/patroni
packages=(etcd-server haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 libpq5 libyaml-0-2 patroni
  python3-click python3-dateutil python3-dnspython python3-etcd python3-prettytable python3-psutil python3-psycopg2
  python3-six python3-urllib3 python3-wcwidth python3-yaml)
if [ ! -d "$tools" ]; then
  say "Taking Patroni, etcd and HAProxy out of Debian's packages, into $tools."
  extract_packages "$tools" "${packages[@]}"
fi

python_libraries tests/cluster
program=$1
shift
exec "$libraries/bin/python" -B tests/cluster/run.py --labs "$program" --tools "$tools" --postgresql "$POSTGRESQL_BIN" \
  --figures target/cluster.json --logs target/cluster-logs "$@"
