"""Where in a file the text meant by an edit stands.

Exact first; then with the file's line ends; then tolerant of trailing blanks and of typographic quotes, dashes and
spaces; last of a whole block indented differently. Each level must find one place only. All edits are matched against
the file as it is. Invariant: outside the matched ranges no character changes, and new text is never read as a pattern.
"""

import itertools
import unicodedata
from array import array
from collections.abc import Iterator, Sequence

import msgspec
from rapidfuzz import fuzz, process

from openclaw_tui.constants import EDIT_MAX_CANDIDATES, EDIT_MIN_CANDIDATE_SCORE
from openclaw_tui.errors import ToolError

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    }
)
_BLANKS = " \t\r\f\v\u00a0\u3000"


class Edit(msgspec.Struct, frozen=True):
    """One wish: put `new` where `old` stands; everywhere with `replace_all`."""

    old: str
    new: str
    replace_all: bool = False


class Replacement(msgspec.Struct, frozen=True):
    """A range of the file's text and what takes its place. `how` is empty for an exact match."""

    start: int
    end: int
    new: str
    how: str = ""


def plan_edits(text: str, edits: Sequence[Edit], line_end: str, name: str) -> list[Replacement]:
    """All replacements in file order. Raises ToolError for the first edit that is not clear; then none applies."""
    planned: list[Replacement] = []
    for number, edit in enumerate(edits, start=1):
        label = f"edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        if not edit.old:
            raise ToolError(f"{label}oldText is empty; give the text to replace, or use write for a new file")
        if edit.old == edit.new:
            raise ToolError(f"{label}oldText and newText are the same; nothing to change in {name}")
        planned += _locate(text, edit, line_end, label, name)
    planned.sort(key=lambda item: (item.start, item.end))
    for first, second in itertools.pairwise(planned):
        if second.start < first.end:
            raise ToolError(f"two edits touch the same text at line {line_of(text, second.start)} of {name}; join them")
    return planned


def apply_replacements(text: str, replacements: Sequence[Replacement]) -> str:
    """The text with each range replaced, letter by letter."""
    parts: list[str] = []
    at = 0
    for item in replacements:
        parts += [text[at : item.start], item.new]
        at = item.end
    return "".join([*parts, text[at:]])


def plain(line: str) -> str:
    """A line without outer blanks and with typographic quotes, dashes and spaces as plain ones."""
    return unicodedata.normalize("NFKC", line.translate(_SAME)).translate(_SAME).strip()


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _locate(text: str, edit: Edit, line_end: str, label: str, name: str) -> list[Replacement]:
    for level in (_exact, _with_line_ends, _tolerant, _indented):
        found = list(level(text, edit))
        if len(found) == 1 or (found and edit.replace_all):
            return [_with_own_line_ends(text, item, line_end, edit) for item in found]
        if found:
            lines = ", ".join(str(line_of(text, item.start)) for item in found[:8])
            raise ToolError(
                f"{label}oldText stands {len(found)} times in {name} (lines {lines}); add surrounding lines to make it"
                " unique, or set replaceAll. Nothing was changed"
            )
    raise ToolError(f"{label}oldText was not found in {name}; nothing was changed.{_candidates(text, edit.old)}")


def _exact(text: str, edit: Edit) -> Iterator[Replacement]:
    return _occurrences(text, edit.old, edit.new)


def _with_line_ends(text: str, edit: Edit) -> Iterator[Replacement]:
    plain = edit.old.replace("\r\n", "\n")
    for variant in (plain, plain.replace("\n", "\r\n")):
        if variant != edit.old:
            yield from _occurrences(text, variant, edit.new)


def _occurrences(text: str, old: str, new: str) -> Iterator[Replacement]:
    at = text.find(old)
    while at >= 0:
        yield Replacement(at, at + len(old), new)
        at = text.find(old, at + len(old))


def _tolerant(text: str, edit: Edit) -> Iterator[Replacement]:
    wanted = _Lenient.of(edit.old).text
    if not wanted.strip():
        return
    view = _Lenient.of(text)
    at = view.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if view.is_edge(at) and view.is_edge(end):
            yield Replacement(view.starts[at], view.ends[end - 1], edit.new, "ignoring trailing blanks and quote style")
            at = view.text.find(wanted, end)
        else:
            at = view.text.find(wanted, at + 1)


class _Lenient(msgspec.Struct, frozen=True):
    """A text in which what people confuse is equal, with the place of each character in the original."""

    text: str
    starts: "array[int]"
    ends: "array[int]"

    @classmethod
    def of(cls, original: str) -> "_Lenient":
        parts: list[str] = []
        starts, ends = array("q"), array("q")
        at = 0
        lines = original.split("\n")
        for number, line in enumerate(lines, start=1):
            kept = line.rstrip(_BLANKS)
            for offset, length, piece in _pieces(kept):
                parts.append(piece)
                if length == len(piece):
                    starts.extend(range(at + offset, at + offset + length))
                    ends.extend(range(at + offset + 1, at + offset + length + 1))
                else:
                    starts.extend([at + offset] * len(piece))
                    ends.extend([at + offset + length] * len(piece))
            after = at + len(line)
            if number < len(lines):
                parts.append("\n")
                starts.append(after - 1 if line.endswith("\r") else after)
                ends.append(after + 1)
            at = after + 1
        return cls("".join(parts), starts, ends)

    def is_edge(self, position: int) -> bool:
        """False inside what is one character in the original, such as a ligature."""
        if position in (0, len(self.text)):
            return True
        return self.starts[position] != self.starts[position - 1]


def _pieces(line: str) -> Iterator[tuple[int, int, str]]:
    """(offset, length in the line, normal form): the line whole where lengths stay, else character by character."""
    same = line.translate(_SAME)
    if same.isascii():
        yield 0, len(same), same
        return
    for offset, char in enumerate(same):
        yield offset, 1, unicodedata.normalize("NFKC", char).translate(_SAME)


def _indented(text: str, edit: Edit) -> Iterator[Replacement]:
    """Whole lines that differ from `old` by one common indentation; `new` is moved by the same."""
    wanted = edit.old.replace("\r\n", "\n").split("\n")
    ends_with_line = len(wanted) > 1 and not wanted[-1]
    if ends_with_line:
        wanted.pop()
    keys = [line.strip() for line in wanted]
    if not any(keys):
        return
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    at = [0]
    for line in lines:
        at.append(at[-1] + len(line) + 1)
    for first in range(len(lines) - len(keys) + 1):
        if stripped[first] != keys[0] or stripped[first : first + len(keys)] != keys:
            continue
        shifted = _shifted(edit.new, wanted, lines[first : first + len(keys)])
        last = first + len(keys) - 1
        if shifted is None or (ends_with_line and last + 1 >= len(lines)):
            continue
        end = at[last + 1] if ends_with_line else at[last] + len(lines[last].rstrip("\r"))
        yield Replacement(at[first], end, shifted, "with the indentation of the file")


def _shifted(new: str, wanted: list[str], present: list[str]) -> str | None:
    """`new` moved by the indentation in which `present` differs from `wanted`; None where it differs in several."""
    shifts = {_shift(want, have) for want, have in zip(wanted, present, strict=True) if want.strip()}
    if len(shifts) != 1:
        return None
    shift = shifts.pop()
    if shift is None:
        return None
    added, removed = shift
    moved = []
    for line in new.replace("\r\n", "\n").split("\n"):
        if line.strip() and not line.startswith(removed):
            return None
        moved.append(added + line[len(removed) :] if line.strip() else line)
    return "\n".join(moved)


def _shift(want: str, have: str) -> tuple[str, str] | None:
    """(indentation to add, indentation to remove); one of them is empty."""
    wants, has = want[: len(want) - len(want.lstrip())], have[: len(have) - len(have.lstrip())]
    if has.endswith(wants):
        return has[: len(has) - len(wants)], ""
    if wants.endswith(has):
        return "", wants[: len(wants) - len(has)]
    return None


def _with_own_line_ends(text: str, item: Replacement, line_end: str, edit: Edit) -> Replacement:
    """New text takes the line ends of the place it goes to, unless the edit spelled them out itself."""
    matched = text[item.start : item.end]
    if matched == edit.old and "\r\n" in edit.old:
        return item
    if "\n" in matched:
        wanted = "\r\n" if "\r\n" in matched else "\n"
    else:
        next_end = text.find("\n", item.end)
        wanted = line_end if next_end < 0 else "\r\n" if text[next_end - 1 : next_end] == "\r" else "\n"
    return Replacement(item.start, item.end, item.new.replace("\r\n", "\n").replace("\n", wanted), item.how)


def _candidates(text: str, old: str) -> str:
    """The passages most like `old`, with their lines, so that the next try can be exact."""
    lines = text.replace("\r\n", "\n").split("\n")
    wanted = old.replace("\r\n", "\n").strip("\n").split("\n")
    height = len(wanted)
    windows = {first: "\n".join(lines[first : first + height]) for first in range(max(1, len(lines) - height + 1))}
    near = process.extract(
        "\n".join(wanted),
        windows,
        scorer=fuzz.ratio,
        limit=EDIT_MAX_CANDIDATES * 3,
        score_cutoff=EDIT_MIN_CANDIDATE_SCORE,
    )
    shown: list[int] = []
    parts: list[str] = []
    for passage, score, first in near:
        if len(shown) < EDIT_MAX_CANDIDATES and all(abs(first - other) >= height for other in shown):
            shown.append(first)
            parts.append(f"lines {first + 1}-{first + height} ({score:.0f} % alike):\n{_clipped(passage)}")
    if not parts:
        return " Nothing in the file is like it; read the file again."
    return "\nNearest passages:\n" + "\n".join(parts)


def _clipped(passage: str) -> str:
    lines = [line if len(line) <= 200 else line[:200] + "…" for line in passage.split("\n")]
    return "\n".join(lines if len(lines) <= 12 else [*lines[:12], f"[... {len(lines) - 12} more lines]"])
