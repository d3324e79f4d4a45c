"""Writes a Go file with a constructor for the model of each example, because Go does not find a type by its name.

Usage: models.py <examples.json>
"""

import json
import sys

HEAD = 'package main\n\nimport "labs"\n\nvar newModel = map[string]func() any{'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        names = sorted({example["schema"] for example in json.load(file)})
    lines = [f'\t"{name}": func() any {{ return new(labs.{name}) }},' for name in names]
    print("\n".join([HEAD, *lines, "}"]))


if __name__ == "__main__":
    main()
