"""Inline Markdown as styled runs: emphasis, code, links with their real target, pictures as words.

Line feeds in the result are logical line ends. HTML and terminal markup are plain text here. The text is made safe
once more: Markdown's character references (`&#x202E;`) can name what the source did not hold.
"""

from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style

from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.safe_text import visible

PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
"""CommonMark with tables and strike-through. `html` off: tags are shown as typed."""


def inline_runs(tokens: Sequence[Token], palette: Palette, base: Style) -> list[Segment]:
    """The children of one inline token as runs over `base`."""
    runs: list[Segment] = []
    styles = [base]
    links: list[tuple[str, int]] = []
    for token in tokens:
        match token.type:
            case "text":
                runs.append(Segment(visible(token.content), styles[-1]))
            case "softbreak" | "hardbreak":
                runs.append(Segment("\n", base))
            case "code_inline":
                runs.append(Segment(visible(token.content), palette.inline_code))
            case "strong_open":
                styles.append(styles[-1] + palette.strong)
            case "em_open":
                styles.append(styles[-1] + palette.emphasis)
            case "s_open":
                styles.append(styles[-1] + palette.strike)
            case "link_open":
                links.append((str(token.attrGet("href") or ""), len(runs)))
                styles.append(styles[-1] + palette.link)
            case "link_close":
                styles.pop()
                target, start = links.pop()
                runs += _target(target, "".join(run.text for run in runs[start:]), palette)
            case "strong_close" | "em_close" | "s_close":
                styles.pop()
            case "image":
                runs.append(Segment(f"[image: {visible(token.content) or 'no description'}]", styles[-1]))
                runs += _target(str(token.attrGet("src") or ""), "", palette)
            case _:
                runs.append(Segment(visible(token.content), styles[-1]))
    return [run for run in runs if run.text]


def _target(target: str, shown: str, palette: Palette) -> list[Segment]:
    """The address behind a link, unless the text already says it."""
    target = visible(target)
    bare = target.removeprefix("mailto:")
    if not target or shown.strip().rstrip("/") in (bare.rstrip("/"), unquote(bare).rstrip("/")):
        return []
    return [Segment(f" ({target})" if shown else f"({target})", palette.muted)]
