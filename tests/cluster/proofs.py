"""Properties that must remain true during every fault: rights, budgets, writes and the audit log."""

import asyncio
import time

from load import stored

# Maximum seconds for which a replica may accept a revoked token.
STALE_AT_MOST = 1.0
DAILY = 2000


class Rights:
    """Tokens that are revoked immediately before a fault and after the recovery. Checks all replicas."""

    def __init__(self, service, program):
        self.service, self.program = service, program
        self.accepted_late, self.revoked, self.watches = [], 0, []

    async def prepare(self):
        """Issues two tokens, and checks that each replica accepts them."""
        self.tokens = [await self.program.issue() for _ in range(2)]
        for token in self.tokens:
            for base in self.service.replicas():
                status, answer = await self.program.send("GET", "/v1/system/me", base=base, token=token)
                assert status == 200, (status, answer)

    async def revoke(self):
        """Revokes the next token, and starts to check the responses of all replicas to it."""
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
        """Records each time that a replica accepts the token more than a second after its revocation."""
        while time.monotonic() < ended + 30:
            begun = time.monotonic()
            status, _ = await self.program.send("GET", "/v1/system/me", base=base, token=token)
            if status == 200 and begun > ended + STALE_AT_MOST:
                self.accepted_late.append((base, round(begun - ended, 2)))
            await asyncio.sleep(0.05)

    async def end(self):
        """Waits for all running checks."""
        await asyncio.gather(*self.watches)
        self.watches = []


class Budget:
    """The daily budget of a partner, spent through all replicas during a fault."""

    def __init__(self, service, administrator):
        self.service, self.administrator = service, administrator
        self.rounds, self.number = [], 0

    async def prepare(self):
        """Creates a partner with an unused budget and its machine client."""
        self.number += 1
        partner = await self.administrator.partner(f"Budget {self.number}", daily=DAILY)
        self.program = await self.administrator.program(f"Budget {self.number}", partner)
        self.token, self.granted, self.back = await self.program.issue(), 0, asyncio.Event()
        self.tasks = [asyncio.create_task(self.spend(base)) for base in self.service.replicas() for _ in range(2)]

    async def spend(self, base):
        """Spends the budget through one replica: slowly until the recovery, then until it is exhausted."""
        refused = 0
        while refused < 5:
            status, answer = await self.program.send("GET", "/v1/system/me", base=base, token=self.token)
            if status == 200:
                self.granted += 1
            is_spent = status == 429 and self.back.is_set()
            refused = refused + 1 if is_spent else 0
            await asyncio.sleep(0.02 if self.back.is_set() else 0.15)

    async def end(self):
        """Spends the rest of the budget, and records the number of granted requests."""
        self.back.set()
        await asyncio.gather(*self.tasks)
        self.rounds.append(self.granted)


class During:
    """Checks that run during one fault."""

    def __init__(self, rights, budget):
        self.rights, self.budget = rights, budget

    async def prepare(self):
        """Runs immediately before the fault: revokes a token, which some replicas may not know when the fault starts."""
        await self.rights.prepare()
        await self.budget.prepare()
        await asyncio.sleep(1)
        await self.rights.revoke()

    async def back(self):
        """Runs after the recovery of the service."""
        await self.rights.revoke()
        await self.budget.end()


async def writes(load, administrator):
    """Compares acknowledged writes with stored data."""
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
    """Verifies the hash chain of the audit log from its beginning, after all records are sealed."""
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
