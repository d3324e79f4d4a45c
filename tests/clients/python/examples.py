"""Test of the generated Python client: reads each example of the contract, and writes it again."""

import json
import os

import labs_client


def main():
    with open(os.path.join(os.environ["LABS_TEST_MADE"], "examples.json"), encoding="utf-8") as file:
        examples = json.load(file)
    failed = []
    for example in examples:
        try:
            getattr(labs_client, example["schema"]).from_dict(example["value"]).to_json()
        except Exception as problem:
            failed.append(f"{example['schema']}, {example['place']}: {problem}")
    if failed:
        raise SystemExit("\n".join([*failed, f"{len(failed)} of {len(examples)} examples failed"]))


if __name__ == "__main__":
    main()
