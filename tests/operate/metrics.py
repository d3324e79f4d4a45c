"""Compares alerts and dashboard with the program and the manual: the program describes every metric that they name, the
manual names its labels, and every alert is in the manual and fires in a test.

    metrics.py <file>    writes the dashboard's expressions to the file, as rules that promtool can read
"""

import json
import re
import sys
from pathlib import Path

import yaml

# Labels that Prometheus adds to each series, and its name for the label `job` of Labs.
OF_PROMETHEUS = {"instance", "job", "exported_job", "le"}
MANUAL = Path("operate/observability.md")
ALERTS = Path("operate/alerts.md")
NAME = re.compile(r"\b((?:labs|process)_[a-z_]+)(?:\{([^}]*)\})?")
GROUPED = re.compile(r"\b(?:by|without) *\(([^)]*)\)")


def described():
    """The metrics that the program describes, each with the labels that the manual names."""
    sources = [Path("src/metrics.rs"), *Path("src/metrics").rglob("*.rs")]
    code = "".join(path.read_text().split("#[cfg(test)]")[0] for path in sources if path.exists())
    names = set(re.findall(r'"((?:labs|process)_[a-z_]+)"', code))
    table = MANUAL.read_text().split("| metric | labels | meaning |")[1].split("\n\n")[0]
    labels = {}
    for row in table.splitlines():
        cells = row.split("|")
        for name in re.findall(r"`([a-z_]+)`", cells[1] if len(cells) > 2 else ""):
            labels[name] = set(re.findall(r"`([a-z_]+)`", cells[2]))
    return names, labels


def faults(where, expression, names, labels):
    """Metrics and labels of an expression that the program does not have."""
    known = set(OF_PROMETHEUS)
    for name, matchers in NAME.findall(expression):
        name = name if name in names else re.sub(r"_(bucket|sum|count)$", "", name)
        if name not in names:
            yield f"{where}: the program has no metric {name}"
        elif name not in labels:
            yield f"{where}: {MANUAL} does not describe {name}"
        else:
            known |= labels[name]
            for label in re.findall(r"([a-z_]+) *(?:=|!)", re.sub(r'"[^"]*"', '""', matchers)):
                if label not in labels[name] | OF_PROMETHEUS:
                    yield f"{where}: {name} has no label {label}"
    for label in re.findall(r"[a-z_]+", " ".join(GROUPED.findall(expression))):
        if label not in known:
            yield f"{where}: no metric there has a label {label}"


def main():
    names, labels = described()
    groups = yaml.safe_load(Path("operate/alerts.yaml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    panels = json.loads(Path("operate/dashboard.json").read_text())["panels"]
    shown = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    found = []
    for where, expression in [(rule["alert"], rule["expr"]) for rule in rules] + shown:
        found += faults(where, expression, names, labels)

    alerts = {rule["alert"] for rule in rules}
    tests = yaml.safe_load(Path("operate/alerts-test.yaml").read_text())["tests"]
    fired = {one["alertname"] for test in tests for one in test["alert_rule_test"] if one["exp_alerts"]}
    explained = set(re.findall(r"^\| `(Labs[A-Za-z]+)` \|", ALERTS.read_text(), re.MULTILINE))
    found += [f"operate/alerts-test.yaml: {alert} fires in no test" for alert in sorted(alerts - fired)]
    found += [f"{ALERTS}: {alert} is not explained" for alert in sorted(alerts - explained)]
    found += [f"{ALERTS}: alerts.yaml has no alert {alert}" for alert in sorted(explained - alerts)]
    if found:
        sys.exit("\n".join(found))

    # Grafana fills in its variables.
    plain = [expression.replace("$__rate_interval", "5m").replace("$instance", ".*") for _, expression in shown]
    records = [{"record": f"dashboard:{number}", "expr": text} for number, text in enumerate(plain)]
    Path(sys.argv[1]).write_text(json.dumps({"groups": [{"name": "dashboard", "rules": records}]}))
    print(f"{len(alerts)} alerts and {len(shown)} expressions of the dashboard name existing metrics")


main()
