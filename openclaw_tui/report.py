"""What each step of the request pipeline did, as plain data.

Every step adds one line. The context panel, the ledger, the debug log and the tests read the same report, so a
change to the context that is not in here did not happen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

Layer: TypeAlias = Literal[
    "load", "details", "sanitize", "validate", "limit", "repair", "engine", "guard", "prompt", "cache", "seal"
]


class StepReport(msgspec.Struct, frozen=True):
    """One step: `counts` holds whole numbers by name (moved, merged, chars_before …), `notes` one line each."""

    layer: Layer
    counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(self.counts.values()) or bool(self.notes)


@dataclass(slots=True)
class PipelineReport:
    """The lines of all steps of one request, in pipeline order."""

    steps: list[StepReport] = field(default_factory=list)

    def add(self, layer: Layer, *notes: str, **counts: int) -> StepReport:
        step = StepReport(layer=layer, counts=counts, notes=notes)
        self.steps.append(step)
        return step

    def count(self, layer: Layer, name: str) -> int:
        """Sum of one count over all lines of a layer (some layers run twice)."""
        return sum(step.counts.get(name, 0) for step in self.steps if step.layer == layer)

    def notes(self) -> list[str]:
        return [note for step in self.steps for note in step.notes]

    def as_data(self) -> list[dict[str, Any]]:
        return [{"layer": s.layer, "counts": dict(s.counts), "notes": list(s.notes)} for s in self.steps]
