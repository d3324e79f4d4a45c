"""What happens to a leader, and how it is taken back: killed, stopped, cut off."""

import asyncio
import signal
import time
import uuid

from database import has_standby
from processes import send, until

SORTS = ("kill", "stop", "cut")


class Faults:
    """Does one fault after the other and measures how the service comes back."""

    def __init__(self, database, proxies, service, probes):
        self.database, self.proxies, self.service, self.probes = database, proxies, service, probes

    def begin(self, sort, leader):
        """Does it to the leader. A machine that dies takes Patroni along with the server."""
        if sort == "kill":
            send(leader.ids(), signal.SIGKILL)
        elif sort == "stop":
            # Signals Patroni first. The second call also stops processes that the server started in between.
            send(leader.ids(), signal.SIGSTOP)
            send(leader.ids(), signal.SIGSTOP)
        else:
            self.proxies.cut(leader.name)

    def heal(self, sort, leader):
        """Takes it back."""
        if sort == "kill":
            leader.process.wait()
            self.database.run(leader)
        elif sort == "stop":
            send(leader.ids(), signal.SIGCONT)
        else:
            self.proxies.heal(leader.name)

    async def one(self, sort, during):
        """One fault from begin to heal; what was measured. `during` is told when the service is back."""
        leader = self.database.leader()
        watch = asyncio.create_task(self.new_leader(leader))
        begun = time.monotonic()
        await asyncio.to_thread(self.begin, sort, leader)
        self.probes.there = None
        sorts = (self.probes.write, self.probes.read)
        probes = [asyncio.create_task(probe(number)) for probe in sorts for number in range(3)]
        new, there = await watch
        # A write acknowledged before this time was acknowledged by the old primary.
        self.probes.there = there
        # Without a standby, the new primary acknowledges nothing. Recovery is measured from the time at which it has
        # one.
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
        """Waits until another member leads; which, and the moment."""

        def ask():
            return asyncio.to_thread(self.database.leader, old)

        new = await until("another member leads", ask, 60, 0.05)
        return new, time.monotonic()


class Probes:
    """Asks each replica by its own address whether it serves writes and reads again."""

    def __init__(self, service, program, told):
        # `told` is called with each response and its kind.
        self.service, self.program, self.told = service, program, told
        # Time since which there is a new primary. Only requests sent after it count.
        self.there = None

    async def write(self, number):
        """When this replica acknowledges a write that was sent after there was a new leader."""
        return await self.first(number, "POST", "/v1/marketplace/apps", json=True)

    async def read(self, number):
        """When this replica answers a read."""
        return await self.first(number, "GET", "/v1/marketplace/apps?limit=1", json=False)

    async def first(self, number, method, path, json):
        """When this replica first did what was asked of it since there is a new leader."""
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
