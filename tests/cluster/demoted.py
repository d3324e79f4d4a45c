"""A replica whose connections lead to a server that no longer leads: what happens where nobody cuts them."""

import asyncio
import time
import uuid

from database import MEMBERS
from processes import free_ports, until


class Demoted:
    """One more replica, by a way that is led by hand and never cut."""

    def __init__(self, service, proxies, database, program):
        self.service, self.proxies, self.database, self.program = service, proxies, database, program
        self.port = free_ports(1)[0]
        self.base = f"http://127.0.0.1:{self.port}"

    async def run(self):
        """Leads it to a follower, as a name does that still means the former leader, and then to the leader."""
        leader = self.database.leader()
        follower = next(each for each in self.database.members if each is not leader)
        self.proxies.lead_by_hand(leader.name, MEMBERS)
        await self.service.start_one("demoted", self.port, self.proxies.by_hand)
        await until("it writes", self.writes, 20)
        # Closes its sessions, as when a primary is demoted. The service then reconnects to the server that is now a
        # follower.
        self.proxies.lead_by_hand(follower.name, MEMBERS)
        self.proxies.say(f"shutdown sessions server by_hand/{leader.name}")
        told = {"while_it_follows": await self.ask(5.0), "readiness_while_it_follows": await self.readiness()}
        # The proxy now routes to the primary again. Open connections to the follower stay open.
        self.proxies.lead_by_hand(leader.name, MEMBERS)
        begun = time.monotonic()
        told["once_led_elsewhere"] = await self.ask(10.0)
        # The service has recovered at the first write that is followed by a series of successful writes.
        told["back"] = all([await self.writes() for _ in range(20)])
        told["seconds"] = round(time.monotonic() - begun, 2)
        return told

    async def send(self):
        token = await self.program.good_token()
        body = {"name": f"demoted {uuid.uuid4()}"}
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return await self.program.send(
            "POST", "/v1/marketplace/apps", base=self.base, token=token, json=body, headers=headers
        )

    async def writes(self):
        """Whether a write is acknowledged."""
        return (await self.send())[0] == 201

    async def readiness(self):
        """The status of its readiness."""
        return (await self.program.send("GET", "/v1/system/readiness", base=self.base))[0]

    async def ask(self, seconds):
        """Writes for a while, eight at a time; how often each status was answered."""
        answers, end = {}, time.monotonic() + seconds
        while time.monotonic() < end:
            for status, _ in await asyncio.gather(*(self.send() for _ in range(8))):
                answers[status] = answers.get(status, 0) + 1
            await asyncio.sleep(0.1)
        return answers
