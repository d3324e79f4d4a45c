"""Replicas of the service, and resources that a test creates through the command line and the API."""

import asyncio
import re
import subprocess

from client import Client
from processes import free_ports, until


class Service:
    """Replicas that share one database, behind one proxy."""

    def __init__(self, processes, program, database, proxies):
        self.processes, self.program, self.database, self.proxies = processes, program, database, proxies
        self.base = f"http://127.0.0.1:{proxies.service}"
        self.folder = processes.folder / "service"
        self.folder.mkdir(mode=0o700)
        self.key = self.folder / "master.key"
        self.ports = free_ports(3)

    def replicas(self):
        """Returns the address of each replica."""
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    async def start(self):
        """Starts the replicas. The first one creates the tables and the master key."""
        first, *others = ((f"replica{number}", port, self.proxies.leader) for number, port in enumerate(self.ports))
        await self.start_one(*first)
        await asyncio.gather(*(self.start_one(*each) for each in others))

    async def start_one(self, name, port, database_port):
        """Starts one replica and waits until it is ready."""
        command = [self.program, "serve", "--empty", "--listen", f"127.0.0.1:{port}", "--base-url", self.base]
        command += ["--folder", self.folder / name, "--master-key-file", self.key]
        command += ["--media-folder", self.folder / "media", "--trusted-proxies", "127.0.0.1/32"]
        # High budgets, so that only the budgets of the test limit requests.
        command += ["--own-per-second", "100000", "--anonymous-per-second", "100000"]
        command += ["--anonymous-per-day", "100000000", "--attempts-per-minute", "10000", "--log", "info"]
        environment = {"DATABASE_URL": self.database.url(database_port)}
        process = self.processes.start(name, command, environment=environment)
        log = self.processes.folder / f"{name}.log"

        def serves():
            if process.poll() is not None:
                raise RuntimeError(f"{name} ended:\n{log.read_text()}")
            return "Labs is ready" in log.read_text()

        await until(f"{name} serves", serves, 240)

    def command(self, *words):
        """Runs a command and returns its output as a dictionary of labels and values."""
        options = ["--folder", self.folder / "replica0", "--master-key-file", self.key]
        ran = subprocess.run(
            [self.program, *words[:2], *options, *words[2:]],
            env={"DATABASE_URL": self.database.url(self.proxies.leader)},
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        pairs = (re.split(r" {2,}", line.strip(), maxsplit=1) for line in ran.stdout.splitlines())
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}

    def program_of_its_own(self, session, name, *scopes):
        """Creates a machine client without a partner."""
        words = [word for scope in scopes for word in ("--scope", scope)]
        made = self.command("client", "create", "--name", name, *words)
        return Client(session, self.base, made["client id"], made["client secret"])


class Administrator:
    """Machine client that creates partners and machine clients through the API."""

    SCOPES = (
        "labs.admin.partners:write",
        "labs.admin.clients:write",
        "labs.admin.limits:write",
        "labs.admin.audit",
        "marketplace.apps:write",
    )

    def __init__(self, service, session):
        self.service, self.session = service, session
        self.client = service.program_of_its_own(session, "Administrator", *self.SCOPES)

    async def partner(self, name, *, daily=None):
        """Creates a partner of the largest tier without effective budgets, except the daily budget if given."""
        body = {
            "company_name": name,
            "country": "DE",
            "administrator": {"email": f"{name.lower().replace(' ', '-')}@partners.example"},
            "tier_code": "SCALE",
            "reason": "For a test.",
        }
        made = await self.client.sure("POST", "/v1/admin/partners", body)
        limits = {
            "burst_per_second": 1_000_000,
            "daily_requests": daily or 1_000_000_000,
            "reason": "For a test.",
            "expires_at": "2099-01-01T00:00:00Z",
        }
        await self.client.sure("PUT", f"/v1/admin/partners/{made['uuid']}/rate-limit", limits)
        return made["uuid"]

    async def program(self, name, partner=None, scopes=("marketplace.apps:write",)):
        """Creates a machine client, optionally for a partner."""
        body = {"name": name, "allowed_scopes": list(scopes)}
        if partner:
            body["partner_uuid"] = partner
        made = await self.client.sure("POST", "/v1/admin/machine-clients", body)
        return Client(self.session, self.service.base, made["client_id"], made["client_secret"])

    async def partners(self, count):
        """Creates partners for the load. Returns pairs of partner and machine client."""

        async def one(number):
            partner = await self.partner(f"Load {number}")
            return partner, await self.program(f"Load {number}", partner)

        return await asyncio.gather(*(one(number) for number in range(count)))
