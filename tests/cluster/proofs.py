"""What has to hold whatever happens to the database: rights, budgets, writes and the audit log."""

import asyncio
import time

from load import stored

# Maximum time for which a token may still be accepted after its revocation was acknowledged, in seconds.
STALE_AT_MOST = 1.0
DAILY = 2000


class Rights:
    """Tokens that are ended right before a fault, and right after the service is back. Every replica is asked on."""

    def __init__(self, service, program):
        self.service, self.program = service, program
        self.accepted_late, self.revoked, self.watches = [], 0, []

    async def prepare(self):
        """Makes two tokens that each replica knows and accepts."""
        self.tokens = [await self.program.issue() for _ in range(2)]
        for token in self.tokens:
            for base in self.service.replicas():
                status, answer = await self.program.send("GET", "/v1/system/me", base=base, token=token)
                assert status == 200, (status, answer)

    async def revoke(self):
        """Ends the next of the tokens, and watches what the replicas answer it from then on."""
        token = self.tokens.pop()
        form = {"token": token, "client_id": self.program.client_id, "client_secret": self.program.secret}
        while True:
            status, answer = await self.program.send("POST", "/v1/oauth/revoke", data=form)
            if status == 200:
                break
            await asyncio.sleep(0.1)
        ended = time.monotonic()
        self.revoked += 1
        self.watches += [asyncio.create_task(self.watch(base, token, ended)) for base in self.service.replicas()]

    async def watch(self, base, token, ended):
        """Notes each time that a replica accepts the token more than a second after its end."""
        while time.monotonic() < ended + 30:
            begun = time.monotonic()
            status, _ = await self.program.send("GET", "/v1/system/me", base=base, token=token)
            if status == 200 and begun > ended + STALE_AT_MOST:
                self.accepted_late.append((base, round(begun - ended, 2)))
            await asyncio.sleep(0.05)

    async def end(self):
        """Waits for what is watched."""
        await asyncio.gather(*self.watches)
        self.watches = []


class Budget:
    """The day's budget of a partner, spent through every replica while the leader goes."""

    def __init__(self, service, administrator):
        self.service, self.administrator = service, administrator
        self.rounds, self.number = [], 0

    async def prepare(self):
        """A partner with a fresh budget, and its program."""
        self.number += 1
        partner = await self.administrator.partner(f"Budget {self.number}", daily=DAILY)
        self.program = await self.administrator.program(f"Budget {self.number}", partner)
        self.token, self.granted, self.back = await self.program.issue(), 0, asyncio.Event()
        self.tasks = [asyncio.create_task(self.spend(base)) for base in self.service.replicas() for _ in range(2)]

    async def spend(self, base):
        """Spends through one replica, slowly until the service is back, and then until nothing is left."""
        refused = 0
        while refused < 5:
            status, answer = await self.program.send("GET", "/v1/system/me", base=base, token=self.token)
            if status == 200:
                self.granted += 1
            is_spent = status == 429 and self.back.is_set()
            refused = refused + 1 if is_spent else 0
            await asyncio.sleep(0.02 if self.back.is_set() else 0.15)

    async def end(self):
        """Spends the rest. What was granted, of how much."""
        self.back.set()
        await asyncio.gather(*self.tasks)
        self.rounds.append(self.granted)


class During:
    """What goes on during one fault."""

    def __init__(self, rights, budget):
        self.rights, self.budget = rights, budget

    async def prepare(self):
        """Right before the fault: a token ends, so that no replica need have heard of it yet."""
        await self.rights.prepare()
        await self.budget.prepare()
        await asyncio.sleep(1)
        await self.rights.revoke()

    async def back(self):
        """The service is back."""
        await self.rights.revoke()
        await self.budget.end()


async def writes(load, administrator):
    """Compares what was acknowledged with what is stored."""
    found = await stored(load, administrator)
    lost = [marker for marker in load.acknowledged if not found[marker]]
    twice = [marker for marker in load.sent if len(found[marker]) > 1]
    other = [marker for marker, uuid in load.acknowledged.items() if found[marker] and uuid not in found[marker]]
    return {
        "sent": len(load.sent),
        "acknowledged": len(load.acknowledged),
        "given_up": len(load.refused),
        "last_answers": load.refused[:5],
        "lost": lost,
        "twice": twice,
        "under_another_id": other,
    }


async def chain(administrator):
    """Recomputes the audit log's chain from its beginning, once every record has its place."""
    end = time.monotonic() + 60
    while True:
        position, checked = 1, 0
        while True:
            told = await administrator.sure("POST", "/v1/admin/audit-records:verify", {"from_position": position})
            checked += told["checked"]
            if not told["intact"] or not told["next_position"]:
                break
            position = told["next_position"]
        if told["intact"] or told["first_break"] or time.monotonic() > end:
            return {"intact": told["intact"], "checked": checked, "first_break": told["first_break"]}
        await asyncio.sleep(1)
