"""A client of the service that retries unanswered requests with the same idempotency key."""

import asyncio
import random
import time
import uuid

import aiohttp

# Seconds until retries stop, and age in seconds at which a token is renewed. A token is valid for one hour.
PATIENCE, TOKEN_AGE = 90, 2400
# Seconds after which a request counts as unanswered.
NO_ANSWER = aiohttp.ClientTimeout(total=10)
# Errors that mean no response: the connection failed, or the time limit passed.
SILENCE = (aiohttp.ClientError, asyncio.TimeoutError, ConnectionError)
REPEATED = (0, 401, 409, 429, 500, 502, 503, 504)


def session():
    """Creates the HTTP connections of a client, without a limit on their number."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=NO_ANSWER)


class Refused(Exception):
    """Error response that a retry does not change."""


class Client:
    """Machine client that caches one token."""

    def __init__(self, connections, base, client_id, secret):
        self.connections, self.base = connections, base
        self.client_id, self.secret = client_id, secret
        self.token, self.since = None, 0.0
        self.renewing = asyncio.Lock()

    async def issue(self):
        """Issues another token in addition to the cached one."""
        form = {"grant_type": "client_credentials", "client_id": self.client_id, "client_secret": self.secret}
        end = time.monotonic() + PATIENCE
        while True:
            status, answer = await self.send("POST", "/v1/oauth/token", data=form)
            if status == 200:
                return answer["access_token"]
            if status not in REPEATED or status == 401 or time.monotonic() > end:
                raise Refused(f"no token: {status} {answer}")
            await asyncio.sleep(0.5)

    async def good_token(self):
        """Returns the cached token, and renews it if it is too old."""
        async with self.renewing:
            if self.token is None or time.monotonic() - self.since > TOKEN_AGE:
                self.token, self.since = await self.issue(), time.monotonic()
        return self.token

    async def send(self, method, path, *, base=None, token=None, **options):
        """Sends one request and returns (status, body). Without a response, it returns (0, reason)."""
        headers = options.pop("headers", {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        address = path if path.startswith("http") else (base or self.base) + path
        try:
            async with self.connections.request(method, address, headers=headers, **options) as answer:
                is_json = "json" in answer.headers.get("Content-Type", "")
                return answer.status, await (answer.json(content_type=None) if is_json else answer.text())
        except SILENCE as error:
            return 0, f"{type(error).__name__}: {error}"

    async def repeat(self, method, path, body, *, key, told=None, patience=NO_ANSWER):
        """Retries a write with one key until there is a final response, and returns (status, answer).

        `told` is called with each response. `patience` limits only the first attempt: with a short limit, the service
        executes a write and the client does not receive the response.
        """
        end, pause = time.monotonic() + PATIENCE, 0.2
        headers = {"Idempotency-Key": key}
        while True:
            token = await self.good_token()
            options = {"token": token, "json": body, "headers": dict(headers), "timeout": patience}
            status, answer = await self.send(method, path, **options)
            patience = NO_ANSWER
            if told:
                told(status, answer)
            if status not in REPEATED or time.monotonic() > end:
                return status, answer
            if status == 401 and self.token == token:
                # 401 also occurs while the database is not available. The same token is valid again later.
                self.since = min(self.since, time.monotonic() - TOKEN_AGE + 30)
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.6, 1.5)

    async def sure(self, method, path, body=None):
        """Sends a request with retries and returns its answer. Raises `Refused` if it does not succeed."""
        status, answer = await self.repeat(method, path, body, key=str(uuid.uuid4()))
        if not 200 <= status < 300:
            raise Refused(f"{method} {path}: {status} {answer}")
        return answer

    async def listed(self, path):
        """Returns all entries of a list, page by page."""
        entries, cursor = [], None
        while True:
            end = time.monotonic() + PATIENCE
            query = f"{path}?limit=100" + (f"&cursor={cursor}" if cursor else "")
            while True:
                status, page = await self.send("GET", query, token=await self.good_token())
                if status == 200:
                    break
                if status not in REPEATED or time.monotonic() > end:
                    raise Refused(f"{query}: {status} {page}")
                await asyncio.sleep(0.3)
            entries += page["data"]
            cursor = page["page"]["next_cursor"]
            if not cursor:
                return entries
