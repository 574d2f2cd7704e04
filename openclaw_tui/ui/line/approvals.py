"""Questions of the agent in the flow of the talk: asked in full, answered by a letter and Enter.

An answer needs Enter, so that a letter typed in the middle of a word never allows anything. Text behind the letter of a
no is what the model is told to do instead; what is no answer allows nothing and is asked again.
"""

from openclaw_tui.events import ApprovalRequested
from openclaw_tui.tools.approval import Decision, DecisionKind

_ALLOWING: dict[str, DecisionKind] = {
    "y": "once",
    "yes": "once",
    "1": "once",
    "a": "session",
    "always": "session",
    "2": "session",
    "p": "prefix",
    "3": "prefix",
}
_REFUSING = ("n", "no", "4")


def read_answer(typed: str, question: ApprovalRequested) -> Decision | None:
    """The decision a typed line means, None where it means none."""
    word, _, rest = typed.strip().partition(" ")
    letter = word.lower().rstrip(",.:;")
    if letter in _REFUSING:
        return Decision("deny", rest.strip(" ,.:;\n"))
    kind = _ALLOWING.get(letter)
    if kind is None or rest.strip() or (kind == "prefix" and question.prefix_rule is None):
        return None
    return Decision(kind)


def answer_prompt(question: ApprovalRequested) -> str:
    """The letters that can be typed, for the prompt."""
    return f"{'y/a/p/n' if question.prefix_rule else 'y/a/n'} > "
