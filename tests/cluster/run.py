"""Test of failover: three PostgreSQL servers under Patroni with a synchronous standby, and three replicas of the
service behind one proxy. Kills, stops and disconnects the leader under load. No write may be lost or executed twice.

    run.py --labs <program> --tools <folder> --postgresql <folder> [--times 3] [--writes 200] [--reads 300] …

`--tools` has the extracted Debian packages of Patroni, etcd and HAProxy. The exit status is 1 if a property is
violated.
"""

import argparse
import asyncio
import pathlib
import shutil
import signal
import sys
import tempfile
import time
from types import SimpleNamespace

import client
import proofs
import report
from database import Database
from demoted import Demoted
from faults import SORTS, Faults, Probes
from load import Load
from processes import Processes
from proxies import Proxies
from service import Administrator, Service

# Seconds of load before the first fault, and between two faults.
STEADY, BETWEEN = 10, 3


def arguments():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--labs", type=pathlib.Path, required=True, help="the labs binary")
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder with the extracted Debian packages")
    parser.add_argument("--postgresql", required=True, help="folder with the PostgreSQL binaries")
    parser.add_argument("--times", type=int, default=3, help="number of rounds of each fault")
    parser.add_argument("--faults", nargs="+", choices=SORTS, default=SORTS, help="faults to inject")
    parser.add_argument("--writes", type=float, default=200, help="writes per second")
    parser.add_argument("--reads", type=float, default=300, help="reads per second")
    parser.add_argument("--back-within", type=float, help="maximum recovery time of a replica, in seconds")
    parser.add_argument("--figures", type=pathlib.Path, required=True, help="JSON file for the results")
    parser.add_argument("--logs", type=pathlib.Path, help="folder for the logs if the test fails")
    return parser.parse_args()


def tools(asked, place):
    """Copies the programs to a place that PostgreSQL's user can read, and returns their paths."""
    folder = place / "tools"
    shutil.copytree(asked.tools / "usr", folder / "usr", symlinks=True)
    library = next(folder.glob("usr/lib/*-linux-gnu*"))
    return SimpleNamespace(
        etcd=folder / "usr/bin/etcd",
        haproxy=folder / "usr/sbin/haproxy",
        patroni=folder / "usr/bin/patroni",
        # The modules are built for Debian's Python.
        python="/usr/bin/python3",
        modules=str(folder / "usr/lib/python3/dist-packages"),
        library=str(library),
        postgresql=asked.postgresql,
    )


async def measure(asked, processes, started):
    """Starts everything, injects the faults, and returns the results."""
    programs = tools(asked, processes.folder)
    proxies = Proxies(processes, programs.haproxy, programs.library)
    database = Database(processes, programs, proxies)
    started.append(database)
    service = Service(processes, asked.labs.resolve(), database, proxies)
    await proxies.start(database.targets(), service.ports)
    await database.start()
    await service.start()
    async with client.session() as connections:
        administrator = Administrator(service, connections)
        partners = await administrator.partners(20)
        own = [
            service.program_of_its_own(connections, f"Own {number}", "labs.admin.partners:write", "storefront")
            for number in range(4)
        ]
        probe = await administrator.program("Probe", await administrator.partner("Probe"))
        load = Load(partners, own, asked.writes, asked.reads)
        rights, budget = proofs.Rights(service, probe), proofs.Budget(service, administrator)
        faults = Faults(database, proxies, service, Probes(service, probe, load.told))
        say("the service serves, the load begins")
        load.start()
        begun = time.monotonic()
        await asyncio.sleep(STEADY)
        steady = {sort: load.rate(sort, begun + STEADY / 2, time.monotonic()) for sort in load.done}
        rounds = await do_faults(asked, faults, proofs.During(rights, budget), load)
        demoted = await Demoted(service, proxies, database, probe).run()
        await load.stop()
        await rights.end()
        ended = time.monotonic()
        say("the load has ended; comparing stored data")
        return {
            "rounds": rounds,
            "rate": steady,
            "longest_gap_s": {sort: load.longest_gap(sort, begun, ended) for sort in load.done},
            "answers": load.answers,
            "errors": load.errors,
            "outcome_unknown": load.unknown,
            "writes": await proofs.writes(load, administrator.client),
            "budget": {"daily": proofs.DAILY, "granted": budget.rounds},
            "rights": {"revoked": rights.revoked, "accepted_late": rights.accepted_late},
            "chain": await proofs.chain(administrator.client),
            "demoted": demoted,
        }


async def do_faults(asked, faults, during, load):
    """Runs all rounds of all faults, alternating between the faults."""
    rounds = []
    for _ in range(asked.times):
        for sort in asked.faults:
            await during.prepare()
            done = await faults.one(sort, during)
            begun, ended = done.pop("span")
            done["gap_s"] = {each: round(load.longest_gap(each, begun, ended), 2) for each in load.done}
            rounds.append(done)
            say(", ".join(f"{name} {value}" for name, value in done.items()))
            await asyncio.sleep(BETWEEN)
    return rounds


def say(text):
    """Prints progress with the time."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


async def main(asked, folder):
    """Runs the test, and always ends all started programs."""
    processes, started = Processes(folder), []
    task = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        told = await measure(asked, processes, started)
        return report.show(told, asked.back_within, asked.figures)
    finally:
        processes.end()
        # PostgreSQL servers keep running after their Patroni has ended.
        for database in started:
            database.end()


if __name__ == "__main__":
    ASKED = arguments()
    PLACE = pathlib.Path(tempfile.mkdtemp(prefix="labs-cluster."))
    # PostgreSQL's user needs access to its folders below this one.
    PLACE.chmod(0o711)
    HOLDS = False
    try:
        HOLDS = asyncio.run(main(ASKED, PLACE))
    except asyncio.CancelledError:
        print("ended before its time", file=sys.stderr)
    finally:
        if not HOLDS and ASKED.logs:
            ASKED.logs.mkdir(parents=True, exist_ok=True)
            for log in PLACE.glob("*.log"):
                shutil.copy(log, ASKED.logs)
            print(f"logs: {ASKED.logs}", file=sys.stderr)
        shutil.rmtree(PLACE, ignore_errors=True)
    sys.exit(0 if HOLDS else 1)
