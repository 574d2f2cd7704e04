"""From the bytes of a session file to its index: one pass, line by line, bodies left undecoded.

Only type and links of a line are parsed here; where its bytes stand is remembered, and lines that had to be changed
(migrated, joined to another parent, taken out of a broken line) are kept in an overlay. The file is only read.
"""

import os
import secrets
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from msgspec.structs import replace

from openclaw_tui.constants import ENTRY_ID_TRIES, SESSION_FORMAT_VERSION
from openclaw_tui.session.codec import (
    Head,
    decode_entry,
    decode_head,
    decode_header,
    decode_record,
    encode_record,
    is_header,
    upgraded,
    with_kept_start,
    with_parent,
)
from openclaw_tui.session.dag import NO_PARENT, EntryTree
from openclaw_tui.session.damage import DamageReport, salvage, without_mark
from openclaw_tui.session.entries import CompactionEntry, Header


@dataclass(slots=True)
class Loaded:
    """Header and index of a file. `offsets` and `lengths` say where line `n` stands, unless the overlay has it.

    `size` is how many bytes were read; `ends_whole` is False where the last line lacks its end.
    """

    header: Header | None = None
    tree: EntryTree = field(default_factory=EntryTree)
    offsets: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))
    overlay: dict[int, bytes] = field(default_factory=dict)
    damage: DamageReport = field(default_factory=DamageReport)
    size: int = 0
    ends_whole: bool = True
    lost_parents: dict[str, int] = field(default_factory=dict)

    def line(self, ordinal: int, descriptor: int) -> bytes:
        """The bytes of a line without its end, from the overlay or from the open file."""
        kept = self.overlay.get(ordinal)
        return kept if kept is not None else os.pread(descriptor, self.lengths[ordinal], self.offsets[ordinal])

    def count(self, **more: int | bool) -> None:
        """Note damage: numbers are added, flags set."""
        found = self.damage
        self.damage = replace(found, **{name: getattr(found, name) + value for name, value in more.items()})


def new_entry_id(taken: EntryTree) -> str:
    """Eight hexadecimal digits, as the family has them; a longer one when that many tries were taken."""
    tries = (secrets.token_hex(4) for _ in range(ENTRY_ID_TRIES))
    return next((found for found in tries if found not in taken), secrets.token_hex(16))


def load(handle: BinaryIO) -> Loaded:
    """Index a whole session file. Nothing is raised for bad content: see `Loaded.damage` and `header`."""
    loaded = Loaded()
    absorb(loaded, handle)
    if loaded.header is None and len(loaded.tree):
        loaded.damage = replace(loaded.damage, header_rebuilt=True)
    if loaded.lost_parents:
        _mend_kept_starts(loaded, handle.fileno())
    return loaded


def absorb(loaded: Loaded, handle: BinaryIO) -> None:
    """Read on from where `loaded` ends, for lines that another program has added since."""
    handle.seek(loaded.size)
    first = loaded.size == 0
    for line in handle:
        start, loaded.size = loaded.size, loaded.size + len(line)
        loaded.ends_whole = line.endswith(b"\n")
        body = line[:-1] if loaded.ends_whole else line
        if first and body != (body := without_mark(body)):
            loaded.damage = replace(loaded.damage, byte_order_mark=True)
            start += len(line) - len(body) - loaded.ends_whole
        first = False
        _take(loaded, body, start)


def _take(loaded: Loaded, body: bytes, start: int) -> None:
    try:
        head = decode_head(body)
        if not body.isascii():
            body.decode()
    except ValueError:
        _take_broken(loaded, body, start)
        return
    _place(loaded, head, body, start)


def _take_broken(loaded: Loaded, body: bytes, start: int) -> None:
    if not body.strip():
        return
    found = salvage(body)
    if found.clean:
        loaded.count(surrogates=1)
        _place(loaded, found.parts[0][0], body, start)
        return
    if not found.parts and not loaded.ends_whole:
        loaded.damage = replace(loaded.damage, torn_tail=True)
    else:
        loaded.count(lines_set_aside=1)
    loaded.count(recovered=len(found.parts), bytes_replaced=int(found.bytes_replaced))
    for head, line in found.parts:
        _place(loaded, head, line, None)


def _place(loaded: Loaded, head: Head, line: bytes, start: int | None) -> None:
    """Give an entry its number and its parent. `start` None: the line stands nowhere in the file as it is."""
    if head.type == "session":
        _place_header(loaded, line)
        return
    tree, changed = loaded.tree, None if start is not None else line
    parent = NO_PARENT if head.parent_id is None else tree.position(head.parent_id)
    before = len(tree) - 1
    entry_id = head.id
    if entry_id is None or (loaded.header is not None and loaded.header.version < SESSION_FORMAT_VERSION):
        parent = before if entry_id is None else parent
        entry_id = entry_id or new_entry_id(tree)
        changed = _migrated(loaded, line, entry_id, parent)
    elif entry_id in tree:
        loaded.count(duplicates=1)
        return
    if parent is None:
        parent = before
        loaded.count(relinked=1)
        loaded.lost_parents.setdefault(head.parent_id or "", before + 1)
        changed = with_parent(changed or line, None if parent == NO_PARENT else tree.ids[parent])
    ordinal = tree.add(entry_id, head.type, parent)
    loaded.offsets.append(start if start is not None else 0)
    loaded.lengths.append(len(line))
    if changed is not None:
        loaded.overlay[ordinal] = changed


def _place_header(loaded: Loaded, line: bytes) -> None:
    record = decode_record(line)
    if loaded.header is None and is_header(record) and not len(loaded.tree):
        loaded.header = decode_header(record)
    else:
        loaded.count(duplicates=1)


def _migrated(loaded: Loaded, line: bytes, entry_id: str, parent: int | None) -> bytes:
    tree = loaded.tree
    parent_id = tree.ids[parent] if parent is not None and parent != NO_PARENT else None
    if loaded.header is None or loaded.header.version >= SESSION_FORMAT_VERSION:
        loaded.count(relinked=1)
    record = upgraded(decode_record(line), entry_id=entry_id, parent_id=parent_id, earlier=tree.ids)
    return encode_record(record)[0]


def _mend_kept_starts(loaded: Loaded, descriptor: int) -> None:
    """Where the first kept entry of a summary is lost, what followed it is the first kept one now."""
    tree = loaded.tree
    for ordinal in range(len(tree)):
        if tree.kinds[ordinal] != "compaction":
            continue
        line = loaded.line(ordinal, descriptor)
        entry = decode_entry(line, entry_id=tree.ids[ordinal], parent_id=None)
        if not isinstance(entry, CompactionEntry) or entry.first_kept_entry_id in tree:
            continue
        heir = loaded.lost_parents.get(entry.first_kept_entry_id)
        if heir is not None and heir < ordinal:
            loaded.overlay[ordinal] = with_kept_start(line, tree.ids[heir])


def lines_of(loaded: Loaded, descriptor: int, ordinals: Sequence[int] | None = None) -> Iterator[bytes]:
    """Lines without their ends, in file order or in the order given."""
    for ordinal in range(len(loaded.tree)) if ordinals is None else ordinals:
        yield loaded.line(ordinal, descriptor)
