"""HAProxy: before PostgreSQL, leading to the leader alone, and before the replicas of the service.

Whatever leads to a member of the cluster (PostgreSQL, Patroni, its way to etcd) goes through a server of HAProxy as
well, so that a member can be cut off from everybody.
"""

import socket
from string import Template

from processes import free_ports, until

CONFIGURATION = Template(
    """
global
    maxconn 4000
    stats socket $socket level admin
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 1s
listen leader
    bind 127.0.0.1:$leader
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
$members
# Connects to the server that is not in maintenance; the test selects it by hand, like a DNS name that is changed.
# Existing sessions stay open.
listen by_hand
    bind 127.0.0.1:$by_hand
$servers
$paths
listen service
    mode http
    bind 127.0.0.1:$service
    timeout client 60s
    timeout server 60s
    timeout http-keep-alive 60s
    balance roundrobin
    option forwardfor
    option redispatch
    retries 2
    retry-on conn-failure
    option httpchk
    http-check send meth GET uri /v1/system/readiness ver HTTP/1.1 hdr Host labs
    http-check expect status 200
    default-server inter 500ms fall 1 rise 1
$replicas
"""
)


class Proxies:
    """One HAProxy. `paths` are the addresses by which others reach a member, by (what, member)."""

    def __init__(self, processes, program, library):
        self.processes, self.program, self.library = processes, program, library
        self.leader, self.by_hand, self.service = free_ports(3)
        self.paths = {}
        self.socket = processes.folder / "haproxy.sock"

    def add_paths(self, members, kinds):
        """Makes a way to each of these for each member."""
        ports = iter(free_ports(len(members) * len(kinds)))
        self.paths = {(kind, member): next(ports) for member in members for kind in kinds}

    async def start(self, targets, replicas):
        """Starts it. `targets` are the real ports behind the paths, `replicas` those of the service."""
        members = sorted(member for kind, member in targets if kind == "postgresql")
        servers = [f"    server {each} 127.0.0.1:{targets['postgresql', each]}" for each in members]
        checked = [f"{line} check port {targets['patroni', each]}" for line, each in zip(servers, members, strict=True)]
        paths = [
            f"listen {kind}_{member}\n    bind 127.0.0.1:{port}\n    server {member} 127.0.0.1:{targets[kind, member]}"
            for (kind, member), port in self.paths.items()
        ]
        behind = [f"    server replica{number} 127.0.0.1:{port} check" for number, port in enumerate(replicas)]
        file = self.processes.folder / "haproxy.cfg"
        file.write_text(
            CONFIGURATION.substitute(
                socket=self.socket,
                leader=self.leader,
                by_hand=self.by_hand,
                service=self.service,
                members="\n".join(checked),
                servers="\n".join(f"{line} disabled" for line in servers),
                paths="\n".join(paths),
                replicas="\n".join(behind),
            )
        )
        environment = {"LD_LIBRARY_PATH": str(self.library)}
        self.processes.start("haproxy", [self.program, "-db", "-f", file], environment=environment)
        await until("HAProxy answers", lambda: self.socket.exists() and self.say("show info"), 10)

    def say(self, *commands):
        """Says commands to HAProxy; what it answered."""
        with socket.socket(socket.AF_UNIX) as control:
            try:
                control.connect(str(self.socket))
            except (ConnectionRefusedError, FileNotFoundError):
                return ""
            control.sendall((";".join(commands) + "\n").encode())
            control.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: control.recv(65536), b"")).decode()

    def cut(self, member):
        """Cuts a member off: from the service, from the other members and from etcd."""
        for backend in ["leader", *(f"{kind}_{each}" for kind, each in self.paths if each == member)]:
            server = f"{backend}/{member}"
            self.say(f"set server {server} state maint", f"shutdown sessions server {server}")

    def heal(self, member):
        """Takes a cut back."""
        for backend in ["leader", *(f"{kind}_{each}" for kind, each in self.paths if each == member)]:
            self.say(f"set server {backend}/{member} state ready")

    def lead_by_hand(self, member, members):
        """Leads what connects from now on to this member. Sessions that are open stay where they are."""
        for each in members:
            self.say(f"set server by_hand/{each} state {'ready' if each == member else 'maint'}")
