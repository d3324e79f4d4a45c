"""The results, as a table and as JSON."""

import json


def table(told):
    """Formats the rounds, one per line, in seconds.

    The columns are: from the fault until there is a new leader; from the fault until it has a standby; from then until
    all replicas write and read again; from the repair until the cluster is complete.
    """
    lines = [
        "fault" + "".join(f"{name:>16}" for name in ("leader", "its standby", "writes back", "reads back", "whole"))
    ]
    for each in told["rounds"]:
        seconds = (
            each["new_leader_after_s"],
            each["standby_after_s"],
            max(each["write_back_s"]),
            max(each["read_back_s"]),
            each["whole_again_after_s"],
        )
        lines.append(f"{each['fault']:5}" + "".join(f"{value:>14.2f} s" for value in seconds))
    return "\n".join(lines)


def failures(told, back_within):
    """Returns a message for each violated property."""
    found = []
    writes, budget = told["writes"], told["budget"]
    for name in ("lost", "twice", "under_another_id"):
        if writes[name]:
            found.append(f"acknowledged writes {name.replace('_', ' ')}: {len(writes[name])}, {writes[name][:5]}")
    for each in told["rounds"]:
        slowest = max(each["write_back_s"] + each["read_back_s"])
        if back_within and slowest > back_within:
            found.append(
                f"after a {each['fault']} a replica was back only {slowest} s after the new leader had its standby"
            )
    if max(budget["granted"], default=0) > budget["daily"]:
        found.append(f"of a day's budget of {budget['daily']} requests {max(budget['granted'])} were granted")
    if told["rights"]["accepted_late"]:
        found.append(f"tokens were accepted more than a second after their end: {told['rights']['accepted_late'][:5]}")
    if not told["chain"]["intact"]:
        found.append(f"the audit log's chain is broken: {told['chain']['first_break']}")
    if told["errors"]:
        found.append(f"the service answered 500: {told['errors']}")
    if not told["demoted"]["back"] or told["demoted"]["while_it_follows"].get(500):
        found.append(f"connections to a demoted leader are used on: {told['demoted']}")
    return found


def show(told, back_within, file):
    """Prints the results, writes the JSON file, and returns whether there are no failures."""
    file.write_text(json.dumps(told, indent=2, default=str) + "\n")
    print(table(told))
    writes = told["writes"]
    print("writes: " + ", ".join(f"{name} {writes[name]}" for name in ("sent", "acknowledged", "given_up")), end=", ")
    print(f"lost {len(writes['lost'])}, stored twice {len(writes['twice'])}")
    rate, gap = told["rate"], told["longest_gap_s"]
    print(f"before the first fault: {rate['write']:.0f} writes and {rate['read']:.0f} reads a second")
    print(f"longest gap: {gap['write']:.1f} s of writes, {gap['read']:.1f} s of reads")
    for sort, counts in told["answers"].items():
        print(f"answers to {sort}s by status (0: none): " + ", ".join(f"{key} {counts[key]}" for key in sorted(counts)))
    print(f"writes whose outcome the service did not know: {told['outcome_unknown']}, each repeated under its key")
    print(f"budget of {told['budget']['daily']}: granted {told['budget']['granted']}")
    print(f"rights: {told['rights']['revoked']} tokens ended, {len(told['rights']['accepted_late'])} accepted late")
    print(f"audit log: {told['chain']['checked']} places checked, intact: {told['chain']['intact']}")
    print(f"demoted leader: {told['demoted']}")
    broken = failures(told, back_within)
    for each in broken:
        print(f"FAILED: {each}")
    print(f"figures: {file}")
    return not broken
