"""Long pastes and pictures as chips: the prompt shows a short mark, what is sent is what it stands for."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.constants import PASTE_CHIP_CHARS, PASTE_CHIP_LINES
from openclaw_tui.ui.pictures import pasted_picture
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.widgets.tool_output import size_text

_CHIP = re.compile(r"\[(?:pasted #\d+ · [\d,]+ (?:lines|characters)|image #\d+ · [^\]\n]+)\]")


@dataclass(slots=True)
class PasteChips:
    """Remembers what each mark stands for, as long as the program runs."""

    texts: dict[str, str] = field(default_factory=dict)

    def shown(self, text: str) -> str:
        """What the prompt holds for a pasted text: the text itself, or a chip."""
        picture = pasted_picture(text)
        if picture is not None:
            return self.picture(picture)
        lines = text.count("\n") + 1
        if len(text) <= PASTE_CHIP_CHARS and lines <= PASTE_CHIP_LINES:
            return text
        size = f"{lines:,} lines" if lines > PASTE_CHIP_LINES else f"{len(text):,} characters"
        return self._chip(f"pasted #{len(self.texts) + 1} · {size}", text)

    def picture(self, path: Path) -> str:
        """The chip of a picture; it stands for a mention of the file, which attaches it when it is sent."""
        name = one_line(path.name).replace("]", ")")
        mention = f'@"{path}"' if re.search(r"[\s\":]", str(path)) else f"@{path}"
        return self._chip(f"image #{len(self.texts) + 1} · {name} · {size_text(path.stat().st_size)}", mention)

    def expanded(self, text: str) -> str:
        """The text with every known chip replaced by what was pasted."""
        return _CHIP.sub(lambda match: self.texts.get(match.group(), match.group()), text)

    def folded(self, text: str) -> str:
        """The text with everything that came from a chip, and was left as it is, as that chip again."""
        for chip, whole in sorted(self.texts.items(), key=lambda known: -len(known[1])):
            text = text.replace(whole, chip)
        return text

    def span_at(self, line: str, end: int) -> int | None:
        """Where the chip begins that ends at `end`; None where there is none."""
        for match in _CHIP.finditer(line):
            if match.end() == end and match.group() in self.texts:
                return match.start()
        return None

    def _chip(self, words: str, whole: str) -> str:
        chip = f"[{words}]"
        self.texts[chip] = whole
        return chip
