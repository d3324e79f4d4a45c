"""Faults of a leader and their repair: killed, stopped, cut off from the network."""

import asyncio
import signal
import time
import uuid

from database import has_standby
from processes import send, until

SORTS = ("kill", "stop", "cut")


class Faults:
    """Injects faults one after the other, and measures the recovery of the service."""

    def __init__(self, database, proxies, service, probes):
        self.database, self.proxies, self.service, self.probes = database, proxies, service, probes

    def begin(self, sort, leader):
        """Injects a fault into the leader. It affects both the server and Patroni, like the failure of a machine."""
        if sort == "kill":
            send(leader.ids(), signal.SIGKILL)
        elif sort == "stop":
            # Twice, because the server can start processes before Patroni stops.
            send(leader.ids(), signal.SIGSTOP)
            send(leader.ids(), signal.SIGSTOP)
        else:
            self.proxies.cut(leader.name)

    def heal(self, sort, leader):
        """Repairs the fault."""
        if sort == "kill":
            leader.process.wait()
            self.database.run(leader)
        elif sort == "stop":
            send(leader.ids(), signal.SIGCONT)
        else:
            self.proxies.heal(leader.name)

    async def one(self, sort, during):
        """Runs one fault from injection to repair. Calls `during.back()` after the recovery. Returns the results."""
        leader = self.database.leader()
        watch = asyncio.create_task(self.new_leader(leader))
        begun = time.monotonic()
        await asyncio.to_thread(self.begin, sort, leader)
        self.probes.there = None
        sorts = (self.probes.write, self.probes.read)
        probes = [asyncio.create_task(probe(number)) for probe in sorts for number in range(3)]
        new, there = await watch
        # The old leader has acknowledged all earlier writes, so only later requests count.
        self.probes.there = there
        # Without a standby the leader acknowledges no write. Recovery times therefore start when it has one.
        await until("it has a standby", lambda: asyncio.to_thread(has_standby, new), 120, 0.05)
        supported = time.monotonic()
        seconds = await asyncio.gather(*probes)
        await during.back()
        self.heal(sort, leader)
        healed = time.monotonic()
        await self.database.whole()
        return {
            "fault": sort,
            "old_leader": leader.name,
            "new_leader": new.name,
            "new_leader_after_s": round(there - begun, 2),
            "standby_after_s": round(supported - begun, 2),
            "write_back_s": [round(max(0.0, each - supported), 2) for each in seconds[:3]],
            "read_back_s": [round(max(0.0, each - supported), 2) for each in seconds[3:]],
            "whole_again_after_s": round(time.monotonic() - healed, 2),
            "span": (begun, time.monotonic()),
        }

    async def new_leader(self, old):
        """Waits until another member is the leader. Returns the member and the time."""

        def ask():
            return asyncio.to_thread(self.database.leader, old)

        new = await until("another member leads", ask, 60, 0.05)
        return new, time.monotonic()


class Probes:
    """Checks for each replica, at its own address, when writes and reads succeed again."""

    def __init__(self, service, program, told):
        # `told` is called with each response and its kind.
        self.service, self.program, self.told = service, program, told
        # Time since which there is a new leader. Only requests after this time count.
        self.there = None

    async def write(self, number):
        """Returns the time when this replica acknowledges a write that was sent to it after the election."""
        return await self.first(number, "POST", "/v1/marketplace/apps", json=True)

    async def read(self, number):
        """Returns the time when this replica answers a read."""
        return await self.first(number, "GET", "/v1/marketplace/apps?limit=1", json=False)

    async def first(self, number, method, path, json):
        """Returns the time of the first success of a request that was sent after the election of a new leader."""
        base, token = self.service.replicas()[number], await self.program.good_token()
        end = time.monotonic() + 120
        while time.monotonic() < end:
            begun = time.monotonic()
            options = {"json": {"name": f"probe {uuid.uuid4()}"}} if json else {}
            status, answer = await self.program.send(method, path, base=base, token=token, **options)
            self.told("write" if json else "read", status, answer)
            if self.there and begun >= self.there and status in (200, 201):
                return time.monotonic()
            await asyncio.sleep(0.05)
        raise TimeoutError(f"replica {number} does not serve {method} again")
