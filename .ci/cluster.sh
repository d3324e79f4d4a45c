#!/usr/bin/env bash
# Failover on a real cluster of three PostgreSQL: .ci/cluster.sh <the program labs> [what tests/cluster/run.py takes]
#
# Patroni, etcd and HAProxy are taken out of Debian's packages, into target/patroni, for this project alone. ./test and
# `make cluster` call this; it needs PostgreSQL and Python.
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
# Patroni's modules are made for Debian's own Python.
[ -x /usr/bin/python3 ] || need "Debian's Python" python3 python
get_missing
postgresql_find || stop "PostgreSQL is in none of the usual places: name its programs' folder in LABS_PG_BIN."

# What they are made of, but for what every Debian has.
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
