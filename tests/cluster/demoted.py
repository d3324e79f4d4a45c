"""A replica with open connections to a former leader."""

import asyncio
import time
import uuid

from database import MEMBERS
from processes import free_ports, until


class Demoted:
    """One more replica, whose proxy the test switches by hand. The proxy keeps open connections."""

    def __init__(self, service, proxies, database, program):
        self.service, self.proxies, self.database, self.program = service, proxies, database, program
        self.port = free_ports(1)[0]
        self.base = f"http://127.0.0.1:{self.port}"

    async def run(self):
        """Routes the replica to a follower, like an outdated DNS name, then to the leader. Returns the results."""
        leader = self.database.leader()
        follower = next(each for each in self.database.members if each is not leader)
        self.proxies.lead_by_hand(leader.name, MEMBERS)
        await self.service.start_one("demoted", self.port, self.proxies.by_hand)
        await until("it writes", self.writes, 20)
        # A demotion ends all sessions. The replica then connects to the server that is now a follower.
        self.proxies.lead_by_hand(follower.name, MEMBERS)
        self.proxies.say(f"shutdown sessions server by_hand/{leader.name}")
        told = {"while_it_follows": await self.ask(5.0), "readiness_while_it_follows": await self.readiness()}
        # New connections reach the leader again. Open connections to the follower stay open.
        self.proxies.lead_by_hand(leader.name, MEMBERS)
        begun = time.monotonic()
        told["once_led_elsewhere"] = await self.ask(10.0)
        # The replica has recovered if 20 consecutive writes succeed.
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
        """Returns whether the replica acknowledges a write."""
        return (await self.send())[0] == 201

    async def readiness(self):
        """Returns the status of the readiness endpoint."""
        return (await self.program.send("GET", "/v1/system/readiness", base=self.base))[0]

    async def ask(self, seconds):
        """Sends writes for a number of seconds, eight at a time. Returns the count of each status."""
        answers, end = {}, time.monotonic() + seconds
        while time.monotonic() < end:
            for status, _ in await asyncio.gather(*(self.send() for _ in range(8))):
                answers[status] = answers.get(status, 0) + 1
            await asyncio.sleep(0.1)
        return answers
