"""The load: writes with a marker, retried with one key, and reads. Both have a steady rate and use the proxy."""

import asyncio
import collections
import functools
import random
import time
import uuid

import aiohttp

from client import NO_ANSWER

# Maximum requests per second of one caller. The number of callers follows from the rate.
EACH = 2.0
# Share of the writes whose first attempt is abandoned, and the range of seconds after which it is.
GIVEN_UP, AFTER = 0.05, (0.002, 0.05)
OF_A_PARTNER = ("/v1/marketplace/apps?limit=20", "/v1/system/me")
OF_A_STOREFRONT = ("/v1/marketplace/public/listings?limit=20", "/v1/marketplace/public/categories")
UNKNOWN = "it may or may not have been made"


class Load:
    """Callers that write and read. Records all requests and responses."""

    def __init__(self, partners, own, writes, reads):
        # `own` are machine clients without a partner. They write notes about partners, which are audited, and read
        # storefront data.
        self.partners, self.own = partners, own
        self.writes, self.reads = writes, reads
        self.sent = {}
        self.acknowledged = {}
        self.refused = []
        self.answers = {"write": collections.Counter(), "read": collections.Counter()}
        self.errors, self.unknown = collections.Counter(), 0
        self.done = {"write": [], "read": []}
        self.tasks, self.stopping, self.number = [], False, 0

    def start(self):
        """Starts the callers."""
        for sort, rate, call in (("write", self.writes, self.write), ("read", self.reads, self.read)):
            callers = max(1, round(rate / EACH))
            self.tasks += [
                asyncio.create_task(self.caller(sort, callers / rate, call, turn)) for turn in range(callers)
            ]

    async def stop(self):
        """Waits until each caller has finished its current request."""
        self.stopping = True
        await asyncio.gather(*self.tasks)

    async def caller(self, sort, period, call, turn):
        """Runs one caller with one call per period. It does not catch up on missed periods."""
        await asyncio.sleep(random.uniform(0, period))
        while not self.stopping:
            begun = time.monotonic()
            if await call(turn):
                self.done[sort].append(time.monotonic())
            await asyncio.sleep(max(0.0, begun + period - time.monotonic()))

    def told(self, sort, status, answer):
        """Counts a response. Records internal errors of the service."""
        self.answers[sort][status] += 1
        if status == 500:
            detail = answer.get("detail", "") if isinstance(answer, dict) else answer
            # If the connection fails during COMMIT, the outcome is unknown. The contract specifies 500 for this case.
            if UNKNOWN in detail:
                self.unknown += 1
            else:
                self.errors[f"{sort}: {detail}"] += 1

    async def write(self, turn):
        """Sends one write: creates an app of a partner, or an audited note about a partner."""
        self.number += 1
        marker = f"marker {self.number:08}"
        partner, program = self.partners[turn % len(self.partners)]
        if turn % 2:
            caller, path, body = program, "/v1/marketplace/apps", {"name": marker}
        else:
            caller = self.own[turn % len(self.own)]
            path, body = f"/v1/admin/partners/{partner}/notes", {"body": marker}
        self.sent[marker] = partner
        told = functools.partial(self.told, "write")
        is_given_up = random.random() < GIVEN_UP
        patience = aiohttp.ClientTimeout(total=random.uniform(*AFTER)) if is_given_up else NO_ANSWER
        status, answer = await caller.repeat("POST", path, body, key=str(uuid.uuid4()), told=told, patience=patience)
        if status == 201:
            self.acknowledged[marker] = answer["uuid"]
            return True
        self.refused.append((marker, status, answer))
        return False

    async def read(self, turn):
        """Sends one read, without retries."""
        if turn % 2:
            caller, path = self.partners[turn % len(self.partners)][1], random.choice(OF_A_PARTNER)
        else:
            caller, path = self.own[turn % len(self.own)], random.choice(OF_A_STOREFRONT)
        status, answer = await caller.send("GET", path, token=await caller.good_token())
        self.told("read", status, answer)
        return status == 200

    def rate(self, sort, begun, ended):
        """Returns the successes per second between two times."""
        return sum(begun <= each <= ended for each in self.done[sort]) / max(ended - begun, 0.001)

    def longest_gap(self, sort, begun, ended):
        """Returns the longest time between two successes."""
        moments = [begun, *sorted(each for each in self.done[sort] if begun <= each <= ended), ended]
        return max(later - earlier for earlier, later in zip(moments, moments[1:], strict=False))


async def stored(load, administrator):
    """Returns all stored markers with their ids, read through the API."""
    found = collections.defaultdict(list)

    async def of(partner, program):
        for app in await program.listed("/v1/marketplace/apps"):
            found[app["name"]].append(app["uuid"])
        for note in await administrator.listed(f"/v1/admin/partners/{partner}/notes"):
            found[note["body"]].append(note["uuid"])

    for partner, program in load.partners:
        await of(partner, program)
    return found
