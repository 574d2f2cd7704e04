"""What a test can set. See the README for the words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.strict_fake.exchange import Record
from tests.strict_fake.faults import Fault
from tests.strict_fake.script import Answerer
from tests.strict_fake.wire_chat import QUIRKS

DIALECTS = ("openai", "llamacpp", "ollama", "lmstudio", "vllm")
FaultChooser = Callable[[Record], Fault | None]


@dataclass(frozen=True, kw_only=True)
class Options:
    window: int = 0
    max_output: int = 64_000
    reject_sum: bool = False
    bytes_per_token: float = 3.5
    ttl: float = 300.0
    min_cache: int | None = None
    summary: str | Answerer = "faithful"
    needles: Sequence[str] = ()
    faults: Mapping[int, Fault] | FaultChooser = field(default_factory=dict)
    dialect: str = "openai"
    quirks: Sequence[str] = ()
    alternate: bool = False
    models: Sequence[str] = ()
    trained_window: int | None = None
    exhausted: str = "fail"
    repeat_identical: bool = True
    repo: str | Path = "."
    seed: int = 7
    tps: float | None = None
    log: str | Path | None = None
    bodies: str | Path | None = None
    port: int = 0

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise ValueError(f"dialect {self.dialect!r}: use one of {', '.join(DIALECTS)}")
        unknown = set(self.quirks) - set(QUIRKS)
        if unknown:
            raise ValueError(f"unknown quirks {sorted(unknown)}: use some of {', '.join(QUIRKS)}")
        if self.exhausted not in ("fail", "repeat", "done"):
            raise ValueError(f"exhausted {self.exhausted!r}: use fail, repeat or done")

    @property
    def local(self) -> bool:
        """A server on the user's machine: no key, its own errors and side routes."""
        return self.dialect != "openai"

    def fault_for(self, record: Record) -> Fault | None:
        if callable(self.faults):
            return self.faults(record)
        return self.faults.get(record.main_n) if record.kind == "main" else None
