#!/usr/bin/env python3
"""Mutation tests: inserts the defects of `list.toml` into a copy of the sources, each behind a switch, builds the copy
once, and runs for each defect the tests that must detect it. The exit status is 1 if a defect is not detected.

    tests/mutants/run.py            all mutants
    tests/mutants/run.py 17 18      only these mutants
    tests/mutants/run.py --check    no tests: checks that all mutants can be inserted and that the result is valid Rust

The switch is an environment variable in Rust and a connection setting in SQL. The service itself contains no switch.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

HOME = pathlib.Path(__file__).resolve().parents[2]
PLACE = HOME / "target" / "mutants"
TREE = PLACE / "tree"
SWITCH = """
/// Whether this mutant is chosen.
#[must_use]
pub fn mutant(number: u32) -> bool {
    static CHOSEN: std::sync::LazyLock<Option<u32>> =
        std::sync::LazyLock::new(|| std::env::var("LABS_MUTANT").ok().and_then(|text| text.parse().ok()));
    *CHOSEN == Some(number)
}
"""
LONGEST_RUN_SECONDS = 600


def sources():
    """Returns the contents of all project files by name."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=HOME, check=True, capture_output=True
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (HOME / name).is_file()]
    return {name: (HOME / name).read_bytes() for name in names}


def roots(mutants):
    """Returns the root file of each crate that gets the switch: those with mutants, and `labs-schema` for `labs-rest`."""
    folders = {mutant["file"].partition("/src/")[0] for mutant in mutants if "/src/" in mutant["file"]}
    return sorted(f"{folder}/src/lib.rs" for folder in (folders | {"schema"}) - {"rest"})


def switched(mutant, number):
    """Returns the replacement with the switch."""
    is_sql = mutant.get("sql", False)
    crate = "labs_schema" if mutant["file"].startswith("rest/") else "crate"
    chosen = f"current_setting('labs.mutant', true) = '{number}'" if is_sql else f"{crate}::mutant({number})"
    if "with" in mutant:
        return mutant["with"].replace("MUTANT", chosen)
    return f"(if {chosen} {{ {mutant['weak']} }} else {{ {mutant['find']} }})"


def planted(mutants, files):
    # Mutants can overlap. Longer texts are replaced first, while they are unchanged.
    for number, mutant in sorted(enumerate(mutants, 1), key=lambda numbered: -len(numbered[1]["find"])):
        text, find = files[mutant["file"]].decode(), mutant["find"]
        # Two mutants can have the same text. The last occurrence is the one without another mutant.
        before, found, after = text.rpartition(find)
        if not found:
            sys.exit(f"mutant {number} ({mutant['what']}): its text is not in {mutant['file']}")
        files[mutant["file"]] = (before + switched(mutant, number) + after).encode()
    for name in roots(mutants):
        files[name] += SWITCH.encode()


def laid_out(files):
    """Writes only changed files, so that Cargo rebuilds only these."""
    there = {str(path.relative_to(TREE)): path for path in TREE.rglob("*") if path.is_file()}
    for name, path in there.items():
        if name not in files:
            path.unlink()
    for name, content in files.items():
        path = TREE / name
        if name in there and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        shutil.copymode(HOME / name, path)


def built():
    """Builds the tests with a database, because statements have changed. Returns the test programs by name."""
    command = [".ci/with-postgres.sh", "cargo", "test", "--workspace", "--no-run", "--locked", "--message-format=json-render-diagnostics"]
    environment = os.environ | {"SQLX_OFFLINE": "false", "CARGO_TARGET_DIR": str(PLACE / "target")}
    out = subprocess.run(command, cwd=TREE, env=environment, stdout=subprocess.PIPE, check=False)
    if out.returncode:
        sys.exit("the mutants do not build")
    programs = {}
    for line in out.stdout.decode().splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable") and message["profile"]["test"]:
            folder = pathlib.Path(message["manifest_path"]).parent
            programs[message["target"]["name"]] = (message["executable"], folder)
    return programs


def ran(programs, by, number):
    """Returns whether these tests pass. Exits if a filter matches no test."""
    unit, wanted = by.startswith("unit "), by.removeprefix("unit ")
    chosen = {"LABS_MUTANT": str(number), "PGOPTIONS": f"-c labs.mutant={number}", "RUST_BACKTRACE": "0"}
    environment = os.environ | chosen
    environment.pop("DATABASE_URL", None)
    found = 0
    chosen_programs = [name for name in programs if name.startswith("labs_")] if unit else ["tests"]
    for program, folder in (programs[name] for name in chosen_programs):
        try:
            run = subprocess.run(
                [program, wanted], cwd=folder, env=environment, capture_output=True, timeout=LONGEST_RUN_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        if run.returncode:
            return False
        found += sum(int(line.split()[1]) for line in run.stdout.decode().splitlines() if line.startswith("running "))
    if not found:
        sys.exit(f"no test is called {by}")
    return True


def checked(mutants):
    """Exits if a mutant has no switch, or if a file with its mutants is not valid Rust."""
    for number, mutant in enumerate(mutants, 1):
        if "MUTANT" in mutant.get("weak", "") or "MUTANT" not in mutant.get("with", "MUTANT"):
            sys.exit(f"mutant {number} ({mutant['what']}): `with` must contain MUTANT, and `weak` must not")
    names = {mutant["file"] for mutant in mutants} | set(roots(mutants))
    files = {name: (HOME / name).read_bytes() for name in names}
    planted(mutants, files)
    for name in sorted(name for name in names if name.endswith(".rs")):
        command = ["rustfmt", "--edition", "2024", "--emit", "stdout"]
        read = subprocess.run(command, input=files[name], capture_output=True, check=False)
        if read.returncode:
            sys.exit(f"{name} with its mutants is not Rust: {read.stderr.decode()}")


def main():
    mutants = tomllib.loads((HOME / "tests/mutants/list.toml").read_text())["mutant"]
    if sys.argv[1:] == ["--check"]:
        checked(mutants)
        return
    files = sources()
    planted(mutants, files)
    wanted = [int(number) for number in sys.argv[1:]] or range(1, len(mutants) + 1)
    laid_out(files)
    programs = built()
    for by in sorted({by for number in wanted for by in mutants[number - 1]["by"]}):
        if not ran(programs, by, 0):
            sys.exit(f"`{by}` fails without any mutant")
    alive = []
    for number in wanted:
        mutant, begun = mutants[number - 1], time.monotonic()
        killer = next((by for by in mutant["by"] if not ran(programs, by, number)), None)
        alive += [] if killer else [number]
        verdict = f"killed by {killer}" if killer else "SURVIVED"
        print(f"{number:3} {verdict:40} {time.monotonic() - begun:5.0f} s  {mutant['what']}", flush=True)
    print(f"{len(wanted) - len(alive)} of {len(wanted)} mutants killed")
    sys.exit(1 if alive else 0)


if __name__ == "__main__":
    main()
