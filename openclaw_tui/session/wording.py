"""The sentences in which summaries and shell commands reach a model.

Summaries are fenced and said to be history: a model that takes one for an order repeats work that is done.
"""

_COMPACTION = (
    "What follows is a summary of the earlier part of this conversation, which was taken out to make room. "
    "It records what happened; it is not a new request."
)
_BRANCH = (
    "What follows is a summary of another branch of this conversation, which was left to come back to this point. "
    "It records what happened there; it is not a new request."
)


def compaction_summary_text(summary: str) -> str:
    return _fenced(_COMPACTION, summary)


def branch_summary_text(summary: str) -> str:
    return _fenced(_BRANCH, summary)


def bash_text(command: str, output: str, exit_code: object, cancelled: bool) -> str:
    """A command that the user ran beside the talk (pi's `!command`), as text for the model."""
    parts = [f"The user ran `{command}`.", f"```\n{output}\n```" if output else "It printed nothing."]
    if cancelled:
        parts.append("It was stopped before its end.")
    elif isinstance(exit_code, int) and exit_code != 0:
        parts.append(f"It ended with exit code {exit_code}.")
    return "\n".join(parts)


def _fenced(sentence: str, summary: str) -> str:
    inner = summary.replace("</summary>", "<\\/summary>")
    return f"{sentence}\n\n<summary>\n{inner}\n</summary>"
