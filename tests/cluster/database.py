"""Three PostgreSQL servers under Patroni with etcd. Writes always require a synchronous standby."""

import json
import os
import pathlib
import secrets
import signal
import subprocess
import urllib.error
import urllib.request

from processes import free_ports, send, until, with_descendants

MEMBERS = ("one", "two", "three")
# In seconds. Patroni replaces a leader that does not report for longer than `ttl`.
TIMES = {"ttl": 10, "loop_wait": 1, "retry_timeout": 4}
PARAMETERS = {
    "max_connections": 100,
    "shared_buffers": "64MB",
    "wal_keep_size": "512MB",
    # A new leader acknowledges no write before its standby connects. By default, the standby retries every 5 seconds.
    "wal_retrieve_retry_interval": "500ms",
}


class Member:
    """A PostgreSQL server with its Patroni."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.postgresql, self.patroni = free_ports(2)
        self.process = None

    def ids(self):
        """Returns the process ids of Patroni, the server and their descendants."""
        roots = [self.process.pid] if self.process.poll() is None else []
        try:
            server = int((self.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
            # The file remains after the server is killed, and another process can have its id.
            if pathlib.Path(f"/proc/{server}/cwd").resolve() == self.folder / "data":
                roots.append(server)
        except (OSError, ValueError):
            pass
        return list(dict.fromkeys(with_descendants(roots)))

    def ask(self, path):
        """Sends a request to the REST API of Patroni and returns (status, value), or (0, None) without a response."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.patroni}/{path}", timeout=1) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return 0, None


class Database:
    """The database cluster."""

    def __init__(self, processes, tools, proxies):
        self.processes, self.tools, self.proxies = processes, tools, proxies
        self.members = [Member(name, processes.owned_folder(name)) for name in MEMBERS]
        self.passwords = {who: secrets.token_urlsafe(18) for who in ("postgres", "replicator", "labs")}
        self.etcd_port, self.etcd_peer = free_ports(2)
        proxies.add_paths(MEMBERS, ["postgresql", "patroni", "etcd"])

    def targets(self):
        """Returns the real ports by (kind, member)."""
        real = {}
        for member in self.members:
            real["postgresql", member.name] = member.postgresql
            real["patroni", member.name] = member.patroni
            real["etcd", member.name] = self.etcd_port
        return real

    def url(self, port):
        """Returns the URL of the service's database for a port of the proxy."""
        return f"postgres://labs:{self.passwords['labs']}@127.0.0.1:{port}/labs?sslmode=disable"

    async def start(self):
        """Starts the cluster and creates the database of the service."""
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.etcd_peer}"
        folder = self.processes.owned_folder("etcd")
        command = [self.tools.etcd, "--name", "etcd", "--data-dir", folder / "data", "--enable-v2"]
        command += ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer]
        command += ["--initial-advertise-peer-urls", peer, "--initial-cluster", f"etcd={peer}"]
        self.processes.start("etcd", command, as_user=True)
        for member in self.members:
            self.configure(member)
            self.run(member)
            if member is self.members[0]:
                await until("the first member leads", lambda: self.leader() is not None, 180)
        await self.whole()
        self.statement("postgres", f"create role labs login createrole password '{self.passwords['labs']}'")
        self.statement("postgres", "create database labs owner labs")

    def configure(self, member):
        """Writes the configuration of a member. Patroni reads YAML, and JSON is valid YAML."""
        login = {who: {"username": who, "password": self.passwords[who]} for who in ("postgres", "replicator")}
        path = {kind: f"127.0.0.1:{self.proxies.paths[kind, member.name]}" for kind in ("postgresql", "patroni")}
        settings = {
            "scope": "labs",
            "name": member.name,
            "restapi": {"listen": f"127.0.0.1:{member.patroni}", "connect_address": path["patroni"]},
            # The proxy can cut this connection. Without `use_proxies`, Patroni would ask etcd for another address.
            # API version 2 of etcd: with version 3, a stopped Patroni 3.0.2 takes the lock from the new leader.
            "etcd": {"host": f"127.0.0.1:{self.proxies.paths['etcd', member.name]}", "use_proxies": True},
            "bootstrap": {
                "dcs": {
                    **TIMES,
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "maximum_lag_on_failover": 1048576,
                    "postgresql": {
                        "use_pg_rewind": True,
                        # A new leader creates slots only after its followers have requested them.
                        "use_slots": False,
                        "parameters": PARAMETERS,
                    },
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums", "no-sync"],
                "pg_hba": [
                    "host all all 127.0.0.1/32 scram-sha-256",
                    "host replication replicator 127.0.0.1/32 scram-sha-256",
                ],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{member.postgresql}",
                "connect_address": path["postgresql"],
                "data_dir": str(member.folder / "data"),
                "bin_dir": self.tools.postgresql,
                "pgpass": str(member.folder / "pgpass"),
                "authentication": {"superuser": login["postgres"], "replication": login["replicator"]},
                "parameters": {"unix_socket_directories": str(member.folder)},
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
            },
        }
        file = member.folder / "patroni.json"
        file.write_text(json.dumps(settings))
        file.chmod(0o600)
        if self.processes.user:
            os.chown(file, self.processes.user.pw_uid, self.processes.user.pw_gid)

    def run(self, member):
        """Starts the Patroni of a member, which starts the server."""
        command = [self.tools.python, "-B", self.tools.patroni, member.folder / "patroni.json"]
        environment = {
            "PYTHONPATH": self.tools.modules,
            "LD_LIBRARY_PATH": self.tools.library,
            "HOME": str(member.folder),
        }
        member.process = self.processes.start(member.name, command, as_user=True, environment=environment)

    def statement(self, database, text):
        """Runs a statement on the leader as superuser, and returns its output."""
        address = ["-h", "127.0.0.1", "-p", str(self.leader().postgresql), "-U", "postgres", "-d", database]
        ran = subprocess.run(
            [f"{self.tools.postgresql}/psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", *address, "-c", text],
            env={**os.environ, "PGPASSWORD": self.passwords["postgres"]},
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        return ran.stdout.strip()

    def leader(self, other_than=None):
        """Returns the member whose Patroni reports that it is the leader, or None."""
        return next((each for each in self.members if each is not other_than and each.ask("primary")[0] == 200), None)

    async def whole(self, seconds=180):
        """Waits until there is one leader and two followers, one of them the synchronous standby."""

        def is_whole():
            leader = self.leader()
            if not leader:
                return False
            _, cluster = leader.ask("cluster")
            roles = sorted(each["role"] for each in (cluster or {}).get("members", []) if each["state"] in GOOD)
            return roles == ["leader", "replica", "sync_standby"] and len(streams(leader)) == 2

        await until("the cluster is whole", is_whole, seconds, 0.3)

    def end(self):
        """Ends all members, also stopped ones."""
        for member in self.members:
            if member.process:
                ids = member.ids()
                send(ids, signal.SIGCONT)
                send(ids, signal.SIGKILL)


GOOD = ("running", "streaming")


def has_standby(leader):
    """Returns whether a leader has a synchronous standby. Without one, it acknowledges no write."""
    return any(each.get("sync_state") == "sync" for each in streams(leader))


def streams(member):
    """Returns the followers to which a leader streams."""
    _, told = member.ask("patroni")
    return [each for each in (told or {}).get("replication", []) if each.get("state") == "streaming"]
