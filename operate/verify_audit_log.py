#!/usr/bin/env python3
"""Verifies the transparency log of the audit log of Labs, without any code of Labs: checkpoints kept elsewhere, the
current checkpoint, and proofs for single records. It needs only Python 3.8 or later.

    verify_audit_log.py --key KEY (--url URL | --folder FOLDER) [--proof FILE] [--witness KEY] [CHECKPOINT...]

Each CHECKPOINT is a file with a checkpoint that was kept elsewhere. The script prints what it verified, or each
problem, and exits with 1 if there is a problem:

    UNSIGNED      a checkpoint has no valid signature of the key, or of a witness
    ROLLED BACK   the current checkpoint is smaller than a kept one
    FORKED        two checkpoints do not belong to one history
    UNPROVED      a proof does not show that the log contains the record

Formats: C2SP signed-note, tlog-checkpoint, tlog-cosignature (Ed25519), tlog-tiles, tlog-proof; the tree of RFC 6962.
"""

import argparse
import base64
import hashlib
import urllib.error
import urllib.request
import uuid

LONGEST = 64 * 1024  # bytes of a checkpoint, tile or proof


# Ed25519 (RFC 8032, section 5.1), verification only.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add(one, other):
    """The sum of two points in extended coordinates."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(factor, point):
    """A multiple of a point."""
    product = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            product = add(product, point)
        point, factor = add(point, point), factor >> 1
    return product


def decompress(encoded):
    """The point of 32 bytes; None if there is none."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return (x, y, 1, x * y % P)


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def has_valid_signature(public, message, signature):
    """Whether the signature of a message is valid."""
    key, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or r is None or s >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    left = multiply(s, BASE)
    right = add(r, multiply(int.from_bytes(digest, "little") % ORDER, key))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)


class Key:
    """A public key: <name>+<key id>+base64(kind ‖ key). Kind 1 signs checkpoints, kind 4 cosigns them."""

    def __init__(self, text):
        self.name, key_id, encoded = text.strip().split("+", 2)
        decoded = base64.b64decode(encoded, validate=True)
        self.kind, self.public = decoded[0], decoded[1:]
        self.id = hashlib.sha256(self.name.encode() + b"\n" + decoded).digest()[:4]
        if self.id.hex() != key_id or self.kind not in (1, 4) or len(self.public) != 32:
            raise ValueError("not a public key")

    def signed(self, text, signatures):
        """Whether this key signed the text of a note."""
        for name, signature in signatures:
            if name == self.name and signature[:4] == self.id:
                message, signature = text.encode(), signature[4:]
                if self.kind == 4:
                    time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
                    message = f"cosignature/v1\ntime {time}\n".encode() + message
                if has_valid_signature(self.public, message, signature):
                    return True
        return False


class Checkpoint:
    """A checkpoint, whose signatures were verified."""

    def __init__(self, note, where, key, witnesses):
        self.where = where
        text, found, lines = note.rpartition("\n\n")
        parts = [line.split(" ") for line in lines.splitlines() if line.startswith("\u2014 ")]
        try:
            signatures = [(name, base64.b64decode(signature, validate=True)) for _, name, signature in parts]
            origin, size, root = text.split("\n")[:3]
            self.size, self.root = int(size), base64.b64decode(root, validate=True)
        except ValueError:
            raise SystemExit(f"UNSIGNED     {where} is not a checkpoint") from None
        for signer in [key, *witnesses]:
            if not found or not signer.signed(text + "\n", signatures):
                raise SystemExit(f"UNSIGNED     {where} has no valid signature of {signer.name}")
        if origin != key.name or len(self.root) != 32 or str(self.size) != size:
            raise SystemExit(f"UNSIGNED     {where} is a checkpoint of another log: {origin}")


def node(left, right):
    """The hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(leaves):
    """The largest power of two below a number over 1."""
    return 1 << (leaves - 1).bit_length() - 1


class Log:
    """The current log, at an address or in a folder."""

    def __init__(self, place, is_url):
        self.place, self.is_url, self.size, self.tiles = place.rstrip("/"), is_url, 0, {}

    def get(self, path):
        """The content of an object; None if it does not exist."""
        try:
            if self.is_url:
                with urllib.request.urlopen(f"{self.place}/{path}", timeout=30) as answer:
                    return answer.read(LONGEST)
            with open(f"{self.place}/{path}", "rb") as file:
                return file.read(LONGEST)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
        except (FileNotFoundError, NotADirectoryError):
            pass
        return None

    def tile(self, level, index):
        """The hashes of a tile, as wide as the current tree has them."""
        if (level, index) not in self.tiles:
            width = min(256, (self.size >> 8 * level) - 256 * index)
            path, rest = f"{index % 1000:03}", index // 1000
            while rest:
                path, rest = f"x{rest % 1000:03}/{path}", rest // 1000
            path = f"tile/{level}/{path}"
            content = self.get(f"{path}.p/{width}") if width < 256 else None
            content = self.get(path) if content is None else content
            if content is None or len(content) < 32 * width:
                raise SystemExit(f"FORKED       the log has no tile {path} of width {width}")
            self.tiles[level, index] = [content[32 * at : 32 * at + 32] for at in range(width)]
        return self.tiles[level, index]

    def hash(self, start, end):
        """The root of a range of leaves."""
        leaves = end - start
        if leaves & (leaves - 1):
            middle = start + split(leaves)
            return node(self.hash(start, middle), self.hash(middle, end))
        height = leaves.bit_length() - 1
        first = start >> height << height % 8
        hashes = self.tile(height // 8, first // 256)[first % 256 : first % 256 + (1 << height % 8)]
        while len(hashes) > 1:
            hashes = [node(*hashes[at : at + 2]) for at in range(0, len(hashes), 2)]
        return hashes[0]

    def consistency(self, first, second):
        """The proof that the tree of the first size is the beginning of the tree of the second (RFC 6962, 2.1.2)."""
        start, end, ranges = 0, second, []
        while first < end:
            middle = start + split(end - start)
            ranges.append((middle, end) if first <= middle else (start, middle))
            start, end = (start, middle) if first <= middle else (middle, end)
        if start:
            ranges.append((start, end))
        return [self.hash(*one) for one in reversed(ranges)]


def root_of(leaf, index, size, proof):
    """The root that an inclusion proof gives (RFC 9162, 2.1.3.2); None if it is malformed."""
    last = size - 1
    for sibling in proof:
        if last == 0:
            return None
        if index & 1 or index == last:
            leaf = node(sibling, leaf)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            leaf = node(leaf, sibling)
        index, last = index >> 1, last >> 1
    return None if last else leaf


def is_consistent(first, second, proof):
    """Whether a proof shows that a checkpoint continues another one (RFC 9162, 2.1.4.2)."""
    if first.size in (0, second.size):
        return not proof and (first.size < second.size or first.root == second.root)
    node_at, last = first.size - 1, second.size - 1
    while node_at & 1:
        node_at, last = node_at >> 1, last >> 1
    if not first.size & (first.size - 1):
        proof = [first.root, *proof]
    old = new = proof[0]
    for sibling in proof[1:]:
        if last == 0:
            return False
        if node_at & 1 or node_at == last:
            old, new = node(sibling, old), node(sibling, new)
            while node_at and not node_at & 1:
                node_at, last = node_at >> 1, last >> 1
        else:
            new = node(new, sibling)
        node_at, last = node_at >> 1, last >> 1
    return last == 0 and (old, new) == (first.root, second.root)


def read(path):
    """The text of a file."""
    with open(path, "rb") as file:
        return file.read(LONGEST).decode("utf-8", "replace")


def verify_proof(path, key):
    """Verifies an inclusion proof, and returns its checkpoint."""
    head, _, note = read(path).partition("\n\n")
    checkpoint = Checkpoint(note, f"the checkpoint in {path}", key, [])
    try:
        name, extra, index, *hashes = head.split("\n")
        leaf, index = base64.b64decode(extra.split(" ")[1], validate=True), int(index.split(" ")[1])
        hashes = [base64.b64decode(one, validate=True) for one in hashes]
    except (ValueError, IndexError):
        raise SystemExit(f"UNPROVED     {path} is not a proof") from None
    root = root_of(hashlib.sha256(b"\x00" + leaf).digest(), index, checkpoint.size, hashes)
    position = int.from_bytes(leaf[:8], "big")
    if name != "c2sp.org/tlog-proof@v1" or len(leaf) != 56 or position != index + 1 or root != checkpoint.root:
        raise SystemExit(f"UNPROVED     {path} does not show that the log contains its record")
    print(f"{path}: the log contains the record {uuid.UUID(bytes=leaf[8:24])} at position {position}")
    return checkpoint


def verify(words):
    """Verifies everything. The first problem ends the program."""
    key, witnesses, log = Key(words.key), [Key(one) for one in words.witness], Log(words.url or words.folder, words.url)
    kept = [Checkpoint(read(path), path, key, witnesses) for path in words.checkpoints]
    kept += [verify_proof(path, key) for path in words.proof]
    note = log.get("checkpoint")
    if note is None:
        raise SystemExit("ROLLED BACK  the log has no checkpoint")
    current = Checkpoint(note.decode("utf-8", "replace"), "the current checkpoint", key, [])
    log.size = current.size
    if current.size and log.hash(0, current.size) != current.root:
        raise SystemExit("FORKED       the tiles do not belong to the current checkpoint")
    for one in kept:
        if one.size > current.size:
            raise SystemExit(f"ROLLED BACK  the log has {current.size} entries, and {one.where} has {one.size}")
        proof = log.consistency(one.size, current.size) if 0 < one.size < current.size else []
        if not is_consistent(one, current, proof):
            raise SystemExit(f"FORKED       the current checkpoint (size {current.size}) does not continue {one.where}")
    print(f"The current checkpoint of size {current.size} continues {len(kept)} kept checkpoints.")


def main():
    """Reads the command line."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--key", required=True, help="public key of the log")
    place = words.add_mutually_exclusive_group(required=True)
    place.add_argument("--url", help="address of the log, for example https://labs.example.com/audit-log")
    place.add_argument("--folder", help="folder of the log, for example <media folder>/audit-log")
    words.add_argument("--proof", action="append", default=[], help="file of an inclusion proof; may be repeated")
    words.add_argument("--witness", action="append", default=[], help="key of a witness of every kept checkpoint")
    words.add_argument("checkpoints", nargs="*", metavar="CHECKPOINT")
    verify(words.parse_args())


if __name__ == "__main__":
    main()
