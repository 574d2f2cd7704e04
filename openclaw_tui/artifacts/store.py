"""Whole tool outputs of one session, kept so that nothing a layer takes out of the context is lost.

Content-addressed and compressed: the same output is stored once. An index line per result gives it the id the model
knows (`t17`). Files are 0600 in a 0700 folder. Over the quota the oldest outputs go first, never one that is still
named in the context; their index lines stay, so that recall can say what happened. One process writes at a time: the
one that holds the session.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, atomic_write_bytes, make_private_dir
from openclaw_tui.constants import ARTIFACT_QUOTA_BYTES, IO_CHUNK_BYTES, RECALL_PIECE_OVERLAP_BYTES

_INDEX = "index.jsonl"
STORE_FOLDER = "whole"
"""Name of the store's folder in a session's artifacts."""


class Artifact(msgspec.Struct, frozen=True, omit_defaults=True):
    """One stored output. `size` and `lines` are of the text, `title` says what made it (a command, a path)."""

    id: str
    digest: str
    tool: str
    size: int
    lines: int
    title: str = ""
    at: int = 0


class ArtifactStore:
    """`folder` belongs to one session; it is made at the first output."""

    def __init__(self, folder: Path, *, quota_bytes: int = ARTIFACT_QUOTA_BYTES) -> None:
        self._folder = folder
        self._quota = quota_bytes
        self._artifacts = {artifact.id: artifact for artifact in _read_index(self._index)}

    @property
    def folder(self) -> Path:
        return self._folder

    def __len__(self) -> int:
        return len(self._artifacts)

    def artifacts(self) -> list[Artifact]:
        """Every output ever stored, in the order it came."""
        return list(self._artifacts.values())

    def find(self, artifact_id: str) -> Artifact | None:
        return self._artifacts.get(artifact_id)

    def is_kept(self, artifact: Artifact) -> bool:
        """False when the output has gone because of the quota."""
        return self._object(artifact.digest).exists()

    def put(
        self,
        artifact_id: str,
        source: bytes | Path,
        *,
        tool: str,
        title: str = "",
        at: int = 0,
        live: Collection[str] = (),
    ) -> Artifact:
        """Store an output under its id; `live` are ids that must stay whatever the quota says. Raises OSError."""
        make_private_dir(self._folder)
        digest, size, lines = self._store_object(source)
        artifact = Artifact(artifact_id, digest, tool, size, lines, title, at)
        descriptor = os.open(self._index, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE_MODE)
        with os.fdopen(descriptor, "ab") as handle:
            handle.write(msgspec.json.encode(artifact) + b"\n")
        self._artifacts[artifact_id] = artifact
        self._keep_quota({*live, artifact_id})
        return artifact

    def replace(self, artifact: Artifact, data: bytes, *, title: str) -> None:
        """Another content under the same id; the former one goes once nobody names it. Raises OSError."""
        self.put(artifact.id, data, tool=artifact.tool, title=title, at=artifact.at)
        rows = b"".join(msgspec.json.encode(kept) + b"\n" for kept in self._artifacts.values())
        atomic_write_bytes(self._index, rows)
        if all(kept.digest != artifact.digest for kept in self._artifacts.values()):
            self._object(artifact.digest).unlink(missing_ok=True)

    def chunks(self, artifact: Artifact) -> Iterator[bytes]:
        """The output in pieces. Raises FileNotFoundError when it is gone, OSError when it cannot be read."""
        unpack = zlib.decompressobj()
        with self._object(artifact.digest).open("rb") as handle:
            while data := handle.read(IO_CHUNK_BYTES):
                while data:
                    yield unpack.decompress(data, IO_CHUNK_BYTES)
                    data = unpack.unconsumed_tail
        yield unpack.flush()

    def lines(self, artifact: Artifact) -> Iterator[tuple[int, str]]:
        """(line number, text) without line ends; bytes that are no UTF-8 are replaced.

        A line of megabytes comes in pieces with the same number, each overlapping the last a little.
        """
        number = 1
        pending = bytearray()
        for chunk in self.chunks(artifact):
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                pending += piece
                yield number, pending.decode("utf-8", "replace").removesuffix("\r")
                pending.clear()
                number += 1
            pending += rest
            if len(pending) > IO_CHUNK_BYTES:
                yield number, pending.decode("utf-8", "replace")
                del pending[:-RECALL_PIECE_OVERLAP_BYTES]
        if pending:
            yield number, pending.decode("utf-8", "replace")

    @property
    def _index(self) -> Path:
        return self._folder / _INDEX

    def _object(self, digest: str) -> Path:
        return self._folder / f"{digest}.z"

    def _store_object(self, source: bytes | Path) -> tuple[str, int, int]:
        """Digest, size and number of lines of what was stored."""
        digest = hashlib.blake2b(digest_size=16)
        pack = zlib.compressobj(6)
        size = line_ends = 0
        last = b"\n"
        descriptor, name = tempfile.mkstemp(suffix=".tmp", dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                for chunk in _pieces(source):
                    digest.update(chunk)
                    size += len(chunk)
                    line_ends += chunk.count(b"\n")
                    last = chunk[-1:]
                    handle.write(pack.compress(chunk))
                handle.write(pack.flush())
            os.replace(name, self._object(digest.hexdigest()))
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
        return digest.hexdigest(), size, line_ends + (last != b"\n")

    def _keep_quota(self, live: set[str]) -> None:
        kept = {artifact.digest for artifact in self._artifacts.values() if artifact.id in live}
        sizes = {path.stem: path.stat().st_size for path in self._folder.glob("*.z")}
        total = sum(sizes.values())
        for artifact in self._artifacts.values():
            if total <= self._quota:
                return
            if artifact.digest not in kept and artifact.digest in sizes:
                total -= sizes.pop(artifact.digest)
                self._object(artifact.digest).unlink(missing_ok=True)


def _pieces(source: bytes | Path) -> Iterator[bytes]:
    if isinstance(source, bytes):
        if source:
            yield source
        return
    with source.open("rb") as handle:
        while chunk := handle.read(IO_CHUNK_BYTES):
            yield chunk


def _read_index(path: Path) -> Iterator[Artifact]:
    """A torn line is passed over: its output is then known by nobody, and the quota takes it in time."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            yield msgspec.json.decode(line, type=Artifact)


def inherit(parent: Path, child: Path) -> None:
    """Give a copied session the outputs of its origin, so that the ids in it stay true. Raises OSError.

    Objects never change, so they are linked where the disk can do that; the index is the copy's own.
    """
    if not (parent / _INDEX).is_file():
        return
    make_private_dir(child)
    for source in parent.glob("*.z"):
        try:
            os.link(source, child / source.name)
        except FileExistsError:
            continue
        except OSError:
            shutil.copy2(source, child / source.name)
    shutil.copy2(parent / _INDEX, child / _INDEX)
