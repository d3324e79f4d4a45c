"""HAProxy in front of PostgreSQL, where it routes only to the leader, and in front of the replicas of the service.

All connections to a member of the cluster (PostgreSQL, Patroni), and from a member to etcd, also use HAProxy, so that
the test can disconnect a member from everything.
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
# The server that is not in maintenance, which the test selects. Open sessions keep their server.
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
    """One HAProxy. `paths` has the ports through which others reach a member, by (kind, member)."""

    def __init__(self, processes, program, library):
        self.processes, self.program, self.library = processes, program, library
        self.leader, self.by_hand, self.service = free_ports(3)
        self.paths = {}
        self.socket = processes.folder / "haproxy.sock"

    def add_paths(self, members, kinds):
        """Reserves a port for each kind and member."""
        ports = iter(free_ports(len(members) * len(kinds)))
        self.paths = {(kind, member): next(ports) for member in members for kind in kinds}

    async def start(self, targets, replicas):
        """Starts HAProxy. `targets` has the real ports of the paths, `replicas` the ports of the service."""
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
        """Sends commands to HAProxy and returns its output."""
        with socket.socket(socket.AF_UNIX) as control:
            try:
                control.connect(str(self.socket))
            except (ConnectionRefusedError, FileNotFoundError):
                return ""
            control.sendall((";".join(commands) + "\n").encode())
            control.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: control.recv(65536), b"")).decode()

    def cut(self, member):
        """Disconnects a member from the service, the other members and etcd."""
        for backend in ["leader", *(f"{kind}_{each}" for kind, each in self.paths if each == member)]:
            server = f"{backend}/{member}"
            self.say(f"set server {server} state maint", f"shutdown sessions server {server}")

    def heal(self, member):
        """Reconnects a member."""
        for backend in ["leader", *(f"{kind}_{each}" for kind, each in self.paths if each == member)]:
            self.say(f"set server {backend}/{member} state ready")

    def lead_by_hand(self, member, members):
        """Routes new connections to this member. Open sessions keep their server."""
        for each in members:
            self.say(f"set server by_hand/{each} state {'ready' if each == member else 'maint'}")
