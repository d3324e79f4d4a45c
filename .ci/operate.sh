#!/usr/bin/env bash
# Checks the files of operators (operate/) without running them: the unit with systemd-analyze, alerts and dashboard
# with promtool and against the metrics of the program, the manifests with Kubernetes' schemas, the Dockerfile with
# hadolint. ./test calls this. It needs Python and promtool, and no build.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
# shellcheck source=.ci/python.sh
. .ci/python.sh
get_promtool
python_libraries tests/operate
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# quietly <command>: shows the output only if the command fails.
quietly() { "$@" >"$made/said" 2>&1 || { cat "$made/said" >&2; return 1; }; }

# The unit with another program, because labs need not be installed here.
if is_macos; then
  say "operate/labs.service is not checked: macOS has no systemd-analyze."
elif [ "$(systemd-analyze --version | sed -n 's/^systemd \([0-9]*\).*/\1/p')" -lt 250 ]; then
  say "operate/labs.service is not checked: the check requires systemd 250 or newer."
else
  sed "s|/usr/local/bin/labs |$(command -v true) |" operate/labs.service >"$made/labs.service"
  quietly systemd-analyze verify --man=no "$made/labs.service"
  # It only warns about an unknown word. Warnings about other units do not matter.
  if grep 'labs\.service' "$made/said" >&2; then exit 1; fi
  quietly systemd-analyze security --no-pager --offline=true --threshold=20 "$made/labs.service"
  echo "labs.service: systemd accepts it, with an exposure of 2.0 at most"
fi

"$libraries/bin/python" -B tests/operate/metrics.py "$made/dashboard.yaml"
quietly promtool check rules operate/alerts.yaml "$made/dashboard.yaml"
quietly promtool test rules operate/alerts-test.yaml
echo "alerts and dashboard: Prometheus accepts them, and each alert fires in its test"

# The oldest version that deployment.yaml names, and the newest version that the package supports.
for version in 1.30.0 1.37.0; do
  quietly "$libraries/bin/kubernetes-validate" --strict --kubernetes-version "$version" operate/kubernetes/*.yaml
done
echo "kubernetes: the schemas of Kubernetes 1.30 and 1.37 accept the manifests"

"$libraries/bin/hadolint" operate/Dockerfile
echo "Dockerfile: hadolint finds nothing"
