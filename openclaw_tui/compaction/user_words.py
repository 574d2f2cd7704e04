"""The user's own words that a summary keeps letter by letter: requests, and rules given once and for all.

A model's paraphrase of them is the commonest way in which an agent drifts. The first and the latest request are kept
for certain; of the others the newest that fit. A long one is cut in its middle and says where the whole can be read.
"""

import re
from collections.abc import Sequence

from openclaw_tui.constants import (
    KEPT_USER_TEXT_CHARS,
    KEPT_USER_TOTAL_CHARS,
    STANDING_RULE_CHARS,
    STANDING_RULES_CHARS,
)
from openclaw_tui.messages import Message, UserMessage, text_of

USER_HEADING = "## Messages of the user, word for word"
_RULE = re.compile(
    r"^(?:please )?(?:do not|don't)\b"
    r"|\b(?:always|never|from now on|must(?: not)?|mustn't|don't ever|remember (?:that|to)|no matter|as a rule"
    r"|under no circumstances|unless I say|immer|niemals?|siempre|nunca|toujours|jamais)\b"
    r"|必须|不要|永远|总是|切勿|始终",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:[.!?。！？]+(?=\s|$)|[。！？]|\.(?=\S)[^\n.!?。！？]*)*")


def kept_user_texts(covered: Sequence[Message], earlier: Sequence[str] = ()) -> tuple[str, ...]:
    """Requests in the covered part: the first and the latest for certain, of the others the newest that fit.

    `earlier` are those an older compaction kept already; they come first.
    """
    texts = [*earlier, *(_shortened(message) for message in _requests(covered))]
    texts = [text for text in dict.fromkeys(texts) if text]
    if not texts:
        return ()
    chosen = {0, len(texts) - 1}
    used = sum(len(texts[at]) for at in chosen)
    for at in range(len(texts) - 2, 0, -1):
        if used + len(texts[at]) <= KEPT_USER_TOTAL_CHARS:
            chosen.add(at)
            used += len(texts[at])
    return tuple(texts[at] for at in sorted(chosen))


def user_words(messages: Sequence[Message]) -> list[str]:
    """Everything the user said, message by message."""
    return [text_of(message.content) for message in _requests(messages)]


def not_word_for_word(texts: Sequence[str], summary: str) -> int:
    """How many of the texts a summary does not hold; blanks do not count."""
    held = " ".join(summary.split())
    return sum(" ".join(text.split()) not in held for text in texts)


def standing_rules(
    covered: Sequence[Message], earlier: Sequence[str] = (), kept: Sequence[str] = ()
) -> tuple[str, ...]:
    """Sentences in which the user set a rule, unless they stand in a text that is kept whole anyway; newest win."""
    found = list(earlier)
    for message in _requests(covered):
        sentences = (sentence.strip() for sentence in _SENTENCE.findall(text_of(message.content)))
        found += [s for s in sentences if _RULE.search(s) and len(s) <= STANDING_RULE_CHARS]
    rules: list[str] = []
    room = STANDING_RULES_CHARS
    for rule in reversed(list(dict.fromkeys(found))):
        if any(rule in text for text in kept):
            continue
        room -= len(rule)
        if room < 0:
            break
        rules.append(rule)
    return tuple(reversed(rules))


def _requests(messages: Sequence[Message]) -> list[UserMessage]:
    return [m for m in messages if isinstance(m, UserMessage) and m.origin == "user"]


def _shortened(message: UserMessage) -> str:
    text = text_of(message.content).strip()
    if len(text) <= KEPT_USER_TEXT_CHARS:
        return text
    half = KEPT_USER_TEXT_CHARS // 2
    where = f'; recall("{message.entry_id}") reads it' if message.entry_id else ""
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out{where} ...]\n{text[-half:]}"
