"""Questions about earlier sessions: what was decided, noted or remembered. They are looked up in the notes."""

import re

_QUESTION = re.compile(
    r"\b(?:what|which|where|when|why|who|how)\b[^.!\n]*\b(?:did|have|had)\s+(?:we|i)\s+(?:\w+\s+)?"
    r"(?:decided?|agreed?|settled?|chosen?|choose|said|say|noted?|planned?)\b"
    r"|\b(?:what|which)\b[^.!\n]*\b(?:was|were)\s+(?:decided|agreed|noted|settled)\b"
    r"|\b(?:do|can)\s+you\s+(?:still\s+)?(?:remember|recall)\b|\bwhat\s+do\s+you\s+(?:remember|know)\s+(?:about|of)\b"
    r"|\b(?:search|look|check)\b[^.!\n]*\b(?:notes|memory)\b|\bwhat\s+do\s+(?:the|my|our|your)\s+notes\s+say\b"
    r"|(?:搜索|查找|查|看)[^\n]{0,4}(?:笔记|记忆)|(?:我们|之前|上次)[^\n]{0,12}决定[^\n]*(?:什么|哪|吗|？|\?)|还?记得[^\n]*[吗？?]",
    re.I,
)
_TRIMMINGS = re.compile(
    r"\b(?:please|can|could|would|you|what|which|where|when|why|who|how|did|do|does|have|had|was|were|we|i|still"
    r"|decided?|agreed?|settled?|chosen?|choose|said|say|noted?|remember|recall|know|search|look|check|the|my|our|your"
    r"|notes|memory|in|for|about|of|on|to|last|time|monday|earlier|before|yesterday)\b",
    re.I,
)


def asked_of_notes(text: str) -> str:
    """What to search the notes for; empty when the text is no question about them."""
    if not _QUESTION.search(text):
        return ""
    return " ".join(re.sub(r"[?？!.,，。]", " ", _TRIMMINGS.sub(" ", text)).split()) or text.strip()
