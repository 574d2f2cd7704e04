"""The lines of a session file as frozen values: one class per entry type of the family's version-3 tree format.

An entry is never edited. `parent_id` links it to the entry it follows (None for a root); `timestamp` is ISO time in
UTC. A type this version does not know becomes an `UnknownEntry`: reachable, skipped for the context, and its line in
the file is kept word for word. The names of the keys on disk are in `codec.py` alone.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import msgspec

from openclaw_tui.messages import Message, UserContent


class Header(msgspec.Struct, frozen=True):
    """First line of the file. `ours` tells files this program made from those of pi and OpenClaw.

    `version` is the format's: 1 and 2 are older layouts of pi, which are read and migrated in memory only.
    """

    id: str
    timestamp: str
    cwd: str
    version: int
    parent_session: str | None = None
    ours: bool = True


class MessageEntry(msgspec.Struct, frozen=True):
    """`message` is None where the line holds no talk for a model (pi's system prompts, excluded shell commands)."""

    type: ClassVar[str] = "message"
    id: str
    parent_id: str | None
    timestamp: str
    message: Message | None


class CompactionEntry(msgspec.Struct, frozen=True):
    """A summary that stands for all before `first_kept_entry_id`, the first entry still sent word for word."""

    type: ClassVar[str] = "compaction"
    id: str
    parent_id: str | None
    timestamp: str
    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: Mapping[str, Any] | None = None


class BranchSummaryEntry(msgspec.Struct, frozen=True):
    """What happened on a branch that was left. `from_id` is where it was left for, or `root`."""

    type: ClassVar[str] = "branch_summary"
    id: str
    parent_id: str | None
    timestamp: str
    from_id: str
    summary: str
    details: Mapping[str, Any] | None = None


class ModelChangeEntry(msgspec.Struct, frozen=True):
    type: ClassVar[str] = "model_change"
    id: str
    parent_id: str | None
    timestamp: str
    provider: str
    model_id: str


class ThinkingLevelChangeEntry(msgspec.Struct, frozen=True):
    type: ClassVar[str] = "thinking_level_change"
    id: str
    parent_id: str | None
    timestamp: str
    level: str


class LabelEntry(msgspec.Struct, frozen=True):
    """Names another entry; `label` None takes the name away. The last one for a target counts."""

    type: ClassVar[str] = "label"
    id: str
    parent_id: str | None
    timestamp: str
    target_id: str
    label: str | None


class SessionInfoEntry(msgspec.Struct, frozen=True):
    """The session's title; an empty name takes it away. The last one in the file counts."""

    type: ClassVar[str] = "session_info"
    id: str
    parent_id: str | None
    timestamp: str
    name: str


class CustomEntry(msgspec.Struct, frozen=True):
    """State of a part of the program. It never reaches a model."""

    type: ClassVar[str] = "custom"
    id: str
    parent_id: str | None
    timestamp: str
    custom_type: str
    data: Any = None


class CustomMessageEntry(msgspec.Struct, frozen=True):
    """Text of a part of the program for the model. `display` says whether the user sees it too."""

    type: ClassVar[str] = "custom_message"
    id: str
    parent_id: str | None
    timestamp: str
    custom_type: str
    content: tuple[UserContent, ...]
    display: bool = True
    details: Mapping[str, Any] | None = None


class UnknownEntry(msgspec.Struct, frozen=True):
    """An entry of a type, or with a body, that this version does not know. `record` is the whole line, parsed."""

    id: str
    parent_id: str | None
    timestamp: str
    type: str
    record: Mapping[str, Any] = msgspec.field(default_factory=dict)


Entry: TypeAlias = (
    MessageEntry
    | CompactionEntry
    | BranchSummaryEntry
    | ModelChangeEntry
    | ThinkingLevelChangeEntry
    | LabelEntry
    | SessionInfoEntry
    | CustomEntry
    | CustomMessageEntry
    | UnknownEntry
)
