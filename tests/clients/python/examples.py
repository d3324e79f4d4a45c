"""Test of the generated Python client: reads each example of the contract, and writes it again.

The generator has no option for enumerated values that the client does not know, so this test leaves them out.
"""

import json
import os

import labs_client


def main():
    with open(os.path.join(os.environ["LABS_TEST_MADE"], "examples.json"), encoding="utf-8") as file:
        examples = [example for example in json.load(file) if not example["is_unknown"]]
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
