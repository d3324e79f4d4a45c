"""Programs that are started for a test: each as an unprivileged user where that is asked for, each ended by its id."""

import asyncio
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import time


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def unprivileged():
    """The user that PostgreSQL runs as where this runs as root; else nobody other than ourselves."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def children():
    """The ids of the processes that each process started, by its id."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The process name in parentheses may contain any character; state and parent PID follow it.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            found.setdefault(parent, []).append(int(entry.name))
    return found


def with_descendants(ids):
    """These processes and all that they started, parents first."""
    by_parent, tree, waiting = children(), [], list(ids)
    while waiting:
        each = waiting.pop(0)
        tree.append(each)
        waiting += by_parent.get(each, [])
    return tree


def send(ids, number):
    """Sends a signal to those of these processes that are there."""
    for each in ids:
        try:
            os.kill(each, number)
        except ProcessLookupError:
            pass


async def until(what, condition, seconds, every=0.1):
    """Waits for a condition, which may be asynchronous; what it answered. Fails when it does not come true in time."""
    end = time.monotonic() + seconds
    while True:
        answer = condition()
        if asyncio.iscoroutine(answer):
            answer = await answer
        if answer:
            return answer
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        await asyncio.sleep(every)


def surroundings():
    """Our own environment without what these programs would take for settings."""
    settings = ("LABS_", "DATABASE_URL", "PG", "PATRONI_", "ETCD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(settings)}


class Processes:
    """All that was started, with a log each in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.user = unprivileged()
        self.started = []

    def owned_folder(self, name):
        """A new folder for what runs as the unprivileged user."""
        folder = self.folder / name
        folder.mkdir()
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        return folder

    def start(self, name, command, *, as_user=False, environment=None):
        """Starts a program that ends with this one. What it says goes to a log of this name."""
        options = ["--pdeathsig", "KILL"]
        if as_user and self.user:
            options += ["--reuid", str(self.user.pw_uid), "--regid", str(self.user.pw_gid), "--clear-groups"]
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                ["setpriv", *options, *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**surroundings(), **(environment or {})},
                # Ctrl-C goes to this program only, which then stops the others.
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self):
        """Ends everything that was started and what that started, by its id."""
        for process in reversed(self.started):
            if process.poll() is None:
                tree = with_descendants([process.pid])
                send(tree, signal.SIGKILL)
            process.wait()
        self.started.clear()
