"""The prefix check of gpt-6.2 and later: reasoning whose prefix changed is dropped, silently but reported.

Request-level tools, text format and effort are part of the prefix; `instructions` are not (they stand after the input).
"""

import re

from tests.strict_fake import seals
from tests.strict_fake.binding_state import BoundReasoning
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json, Refused

_OLD_CONTENT = re.compile(r"gAAAAAEo[0-9a-f]+")


def bind_reasoning(exchange: Exchange) -> BoundReasoning:
    body = exchange.body
    out = BoundReasoning()
    state = seals.chain(
        "",
        seals.canonical(body.get("tools") or []),
        seals.canonical((body.get("text") or {}).get("format")),
        (body.get("reasoning") or {}).get("effort"),
    )
    for item in exchange.items:
        if item.get("type") != "reasoning":
            state = seals.chain(state, seals.canonical(_plain(item)))
            out.items.append(item)
        elif _fits(item, state):
            out.items.append(item)
        else:
            out.removed.append(
                {"id": str(item.get("id")), "type": "reasoning", "action": "removed", "reason": "prefix_mismatch"}
            )
    out.state = state
    return out


def _fits(item: Json, state: str) -> bool:
    encrypted = item.get("encrypted_content")
    if not encrypted:
        return True
    record = seals.open_seal(str(encrypted)[6:], "reasoning")
    if record is None and not _OLD_CONTENT.fullmatch(str(encrypted)):
        raise Refused(
            f"The encrypted content for item {item.get('id')} could not be verified. Reason: Encrypted content could "
            "not be "
            "decrypted or parsed.",
            code="invalid_encrypted_content",
        )
    return record is None or record.get("p") == state


def _plain(item: Json) -> Json:
    """The item in the one form in which the prefix is compared."""
    plain = {key: value for key, value in item.items() if key not in ("id", "status") and value is not None}
    if "role" in plain:
        plain.setdefault("type", "message")
        kind = "output_text" if plain["role"] == "assistant" else "input_text"
        content = plain.get("content")
        if isinstance(content, str):
            plain["content"] = [{"type": kind, "text": content}]
        else:
            plain["content"] = [_plain_part(part) for part in content or []]
    if isinstance(plain.get("output"), str):
        plain["output"] = [{"type": "input_text", "text": plain["output"]}]
    return plain


def _plain_part(part: object) -> object:
    if not isinstance(part, dict):
        return part
    return {key: value for key, value in part.items() if key not in ("annotations", "logprobs")}
