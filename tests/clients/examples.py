"""Writes what the tests of generated clients read: the contract's examples as a list of {schema, place, value,
is_unknown} (examples.json), and its regular expressions (patterns.json).

Usage: examples.py <contract.yaml> <folder>

Responses may gain fields and enumerated values at any time. So each response also occurs with an unknown field, and, if
it has an enumerated field, with an unknown value (`is_unknown`, which not every generator supports).
"""

import json
import os
import re
import sys

import yaml

METHODS = ("get", "post", "put", "patch", "delete")
UNKNOWN_FIELD = {"added_later": {"is_new": True}}
UNKNOWN_VALUE = "ADDED_LATER"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads YAML 1.2, in which times, `NO` and `12:30` are strings. PyYAML's own rules are those of YAML 1.1."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in [
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"-?(0|[1-9][0-9]*)", list("-0123456789")),
    ("float", r"-?[0-9]+\.[0-9]+", list("-0123456789")),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)


class Contract:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.tree = yaml.load(file, Loader)

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            place, node = node["$ref"], self.tree
            for part in place.split("/")[1:]:
                node = node[part]
        return node

    def bodies(self):
        """Yields place, whether it is a response, and content for each body of each operation."""
        for item in self.tree["paths"].values():
            for operation in (item[method] for method in METHODS if method in item):
                name = operation["operationId"]
                yield f"request of {name}", False, self.resolve(operation.get("requestBody", {})).get("content", {})
                for status, response in operation["responses"].items():
                    yield f"{status} of {name}", True, self.resolve(response).get("content", {})

    def has_model(self, schema):
        """Whether generators write a model for this schema. They write none for an object without fields."""
        return schema is not None and self.resolve({"$ref": schema}).get("properties") != {}

    def examples(self):
        for place, is_response, content in self.bodies():
            for media_type, body in content.items():
                schema = body.get("schema", {}).get("$ref")
                if not media_type.endswith("json") or not self.has_model(schema):
                    continue
                several = (self.resolve(example)["value"] for example in body.get("examples", {}).values())
                for value in [body["example"]] if "example" in body else several:
                    yield schema.rsplit("/", 1)[1], place, is_response, value

    def enumerated(self, schema):
        """Returns the names of the fields of this schema that have enumerated strings as values."""
        fields = self.tree["components"]["schemas"][schema].get("properties", {})
        kinds = {name: self.resolve(field) for name, field in fields.items()}
        return [name for name, kind in kinds.items() if len(kind.get("enum", [])) > 1 and kind.get("type") == "string"]

    def variants(self):
        """Yields schema, place, value, and whether the value is an unknown one, of each example and of its variants."""
        for schema, place, is_response, value in self.examples():
            yield schema, place, value, False
            if not is_response or not isinstance(value, dict):
                continue
            yield schema, f"{place}, with an unknown field", value | UNKNOWN_FIELD, False
            for name in self.enumerated(schema):
                if isinstance(value.get(name), str):
                    yield schema, f"{place}, with an unknown {name}", value | {name: UNKNOWN_VALUE}, True


def patterns(node):
    """Returns the regular expressions below a node."""
    if isinstance(node, list):
        return set().union(*map(patterns, node))
    if not isinstance(node, dict):
        return set()
    own = {node["pattern"]} if isinstance(node.get("pattern"), str) else set()
    return own.union(*map(patterns, node.values()))


def write(name, value):
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)


def main():
    contract, found = Contract(sys.argv[1]), {}
    # Many operations share an example, for example of a problem document.
    for schema, place, value, is_unknown in contract.variants():
        one = {"schema": schema, "place": place, "value": value, "is_unknown": is_unknown}
        found.setdefault((schema, json.dumps(value)), one)
    write("examples.json", list(found.values()))
    write("patterns.json", sorted(patterns(contract.tree)))


if __name__ == "__main__":
    main()
