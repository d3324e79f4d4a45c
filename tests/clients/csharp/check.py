"""Test of the generated C# client without a C# compiler: looks for validation code that does not compile, and writes the
regular expressions of the client to a file.

Usage: check.py <folder of the client> <patterns.json>

A length and a match need a string. The generator writes both also for a UUID with `maxLength` or a time with `pattern`.
"""

import json
import pathlib
import re
import sys

PROPERTY = re.compile(r"^\s*public (?:Option<)?([\w.<>,? ]+?)\??>? (\w+) \{ get", re.MULTILINE)
USE = re.compile(r"this\.(\w+)(?:\.Value)?\.Length\b|\.Match\(this\.(\w+)(?:\.Value)?\)")
REGEX = re.compile(r'new Regex\(@"((?:[^"]|"")*)"')


def main():
    folder, output = map(pathlib.Path, sys.argv[1:])
    problems, patterns, uses = [], set(), 0
    for file in folder.rglob("src/*/Model/*.cs"):
        text = file.read_text(encoding="utf-8")
        types = {name: kind for kind, name in PROPERTY.findall(text)}
        names = [length or match for length, match in USE.findall(text)]
        uses += len(names)
        problems += [f"{file.name}: {name} is {types.get(name)}, not a string" for name in names if types.get(name) != "string"]
        patterns |= {pattern.replace('""', '"') for pattern in REGEX.findall(text)}
    if not uses or not patterns:
        problems.append("the client has no validation: this test no longer reads what the generator writes")
    if problems:
        raise SystemExit("\n".join([*problems, f"{len(problems)} problems in the C# client"]))
    output.write_text(json.dumps(sorted(patterns)), encoding="utf-8")


if __name__ == "__main__":
    main()
