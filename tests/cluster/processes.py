"""Programs that a test starts, optionally as an unprivileged user, and ends by their process ids."""

import asyncio
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import time


def free_ports(count):
    """Returns free ports of 127.0.0.1."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def unprivileged():
    """Returns the user for PostgreSQL if this program runs as root, else None."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def children():
    """Returns the ids of child processes by the id of the parent."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name in parentheses can contain any characters. State and parent follow it.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            found.setdefault(parent, []).append(int(entry.name))
    return found


def with_descendants(ids):
    """Returns these processes and all their descendants, parents first."""
    by_parent, tree, waiting = children(), [], list(ids)
    while waiting:
        each = waiting.pop(0)
        tree.append(each)
        waiting += by_parent.get(each, [])
    return tree


def send(ids, number):
    """Sends a signal to these processes, and ignores ended processes."""
    for each in ids:
        try:
            os.kill(each, number)
        except ProcessLookupError:
            pass


async def until(what, condition, seconds, every=0.1):
    """Waits for a condition, which may be asynchronous, and returns its value. Raises TimeoutError after `seconds`."""
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
    """Returns the environment without variables that the programs read as settings."""
    settings = ("LABS_", "DATABASE_URL", "PG", "PATRONI_", "ETCD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(settings)}


class Processes:
    """All started programs, each with a log in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.user = unprivileged()
        self.started = []

    def owned_folder(self, name):
        """Creates a folder that belongs to the unprivileged user."""
        folder = self.folder / name
        folder.mkdir()
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        return folder

    def start(self, name, command, *, as_user=False, environment=None):
        """Starts a program that ends together with this one. Its output is written to a log with this name."""
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
                # Ctrl-C must reach only this program, which then ends the others.
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def end(self):
        """Ends all started programs and their descendants."""
        for process in reversed(self.started):
            if process.poll() is None:
                tree = with_descendants([process.pid])
                send(tree, signal.SIGKILL)
            process.wait()
        self.started.clear()
