"""Long pastes as chips: the prompt shows a short mark, what is sent is the whole text."""

import re
from dataclasses import dataclass, field

from openclaw_tui.constants import PASTE_CHIP_CHARS, PASTE_CHIP_LINES

_CHIP = re.compile(r"\[pasted #\d+ · [\d,]+ (?:lines|characters)\]")


@dataclass(slots=True)
class PasteChips:
    """Remembers what each mark stands for, as long as the program runs."""

    texts: dict[str, str] = field(default_factory=dict)

    def shown(self, text: str) -> str:
        """What the prompt holds for a pasted text: the text itself, or a chip."""
        lines = text.count("\n") + 1
        if len(text) <= PASTE_CHIP_CHARS and lines <= PASTE_CHIP_LINES:
            return text
        size = f"{lines:,} lines" if lines > PASTE_CHIP_LINES else f"{len(text):,} characters"
        chip = f"[pasted #{len(self.texts) + 1} · {size}]"
        self.texts[chip] = text
        return chip

    def expanded(self, text: str) -> str:
        """The text with every known chip replaced by what was pasted."""
        return _CHIP.sub(lambda match: self.texts.get(match.group(), match.group()), text)

    def span_at(self, line: str, end: int) -> int | None:
        """Where the chip begins that ends at `end`; None where there is none."""
        for match in _CHIP.finditer(line):
            if match.end() == end and match.group() in self.texts:
                return match.start()
        return None
