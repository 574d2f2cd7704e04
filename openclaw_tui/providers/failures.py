"""What a provider's refusal means: status, type, code and message → an error of our tree.

One classifier for every adapter, so that overload, quota and overflow are told apart the same way everywhere. Pure:
it sees what the server said, never the conversation. The wording it knows is data, in `failure_patterns.py`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from openclaw_tui.constants import MAX_ERROR_MESSAGE_CHARS
from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ModelNotFound,
    OpenClawError,
    ProviderContextOverflow,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
)
from openclaw_tui.providers.failure_patterns import (
    BY_NAME,
    BY_STATUS,
    DAILY_QUOTA,
    FIELD_PATTERNS,
    IMAGE_PATTERNS,
    KEY_PATTERNS,
    OVERFLOW_CODES,
    OVERFLOW_PATTERNS,
    PAIRING_PATTERNS,
    QUOTA_PATTERNS,
    RATE_WORDING,
    REASONING_PATTERNS,
    SEALED_PATTERNS,
    FailureClass,
)
from openclaw_tui.providers.waits import retry_after_seconds

TranscriptFault: TypeAlias = Literal["reasoning", "pairing", "sealed", "image"]

_OVERFLOW_STATUS = frozenset({None, 200, 400, 413, 422, 500})
_SERVER_FAULT, _CLIENT_FAULT, _REDIRECT = range(500, 600), range(400, 500), range(300, 400)
_SECRET = re.compile(r"\b(sk-|AIza|Bearer\s+)[\w*.-]{6,}")
_POSITION = re.compile(r"\b(?:messages|input|contents)(?:\.\d+|\[\d+\])(?:\.\w+|\[\d+\])*")
_WRONG_ADDRESS = "The API does not answer at this address: check the provider's base URL."


def classify(
    *,
    provider: str,
    status: int | None,
    code: str | None,
    kind: str | None,
    message: str,
    headers: Mapping[str, str] | None = None,
    details: Any = None,
) -> OpenClawError:
    """The error that a refusal stands for.

    `kind` is the provider's type of the error (`overloaded_error`), `code` its finer code, `details` the body as parsed
    JSON. A status of None or 200 means that the error came inside a stream. The text never holds a key.
    """
    line = _one_line(message, status)
    names = tuple(name.lower() for name in (code, kind) if name)
    if is_overflow(status, code, kind, message):
        tokens, limit = overflow_figures(message, details)
        return ProviderContextOverflow(
            f"{provider}: the request does not fit the model's context window: {line}", tokens=tokens, limit=limit
        )
    failure = _failure_class(status, names, message, details)
    return failure(
        f"{provider}{_status_note(status)}: {line}",
        status=status,
        code=code or kind,
        retry_after=retry_after_seconds(headers or {}, details, message) if failure.retryable else None,
        position=_position(message, details),
        advice=_WRONG_ADDRESS if failure is InvalidRequest and (status == 404 or status in _REDIRECT) else None,
    )


def transport_failure(provider: str, error_text: str) -> ProviderUnavailable:
    """A connection that could not be made, was cut or stalled. `error_text` may be empty."""
    return ProviderUnavailable(f"{provider}: {_one_line(error_text or 'the connection failed', None)}")


def unexpected_answer(provider: str, body: str) -> OpenClawError:
    """What an answer with status 200 that is no event stream stands for: an error object, a web page or nonsense."""
    if body.lstrip()[:1] == "<":
        return InvalidRequest(f"{provider}: {_one_line(body, 200)}", status=200, advice=_WRONG_ADDRESS)
    try:
        parsed = json.loads(body)
    except ValueError:
        return transport_failure(provider, "the answer is no event stream and no error; it makes no sense")
    found = parsed.get("error", parsed) if isinstance(parsed, dict) else parsed
    fault = found if isinstance(found, dict) else {"message": found if isinstance(found, str) else ""}
    return classify(
        provider=provider,
        status=200,
        code=_text(fault.get("code")),
        kind=_text(fault.get("type") or fault.get("status")),
        message=_text(fault.get("message")) or "",
        details=parsed,
    )


def is_overflow(status: int | None, code: str | None, kind: str | None, message: str) -> bool:
    """Whether the server says that the request is too long for the model (or too many bytes for the server)."""
    if {code, kind} & OVERFLOW_CODES:
        return True
    if status not in _OVERFLOW_STATUS or RATE_WORDING.search(message) or _named(code, kind) is RateLimited:
        return False
    return status == 413 or any(pattern.search(message) for pattern in OVERFLOW_PATTERNS)


def overflow_figures(message: str, details: Any = None) -> tuple[int | None, int | None]:
    """Tokens of the request and the limit, as far as the server told them."""
    for body in _mappings(details):
        tokens, limit = body.get("n_prompt_tokens"), body.get("n_ctx")
        if isinstance(tokens, int) or isinstance(limit, int):
            return tokens if isinstance(tokens, int) else None, limit if isinstance(limit, int) else None
    for pattern in OVERFLOW_PATTERNS:
        if match := pattern.search(message):
            found = match.groupdict()
            return _number(found.get("tokens")), _number(found.get("limit"))
    return None, None


def transcript_fault(error: InvalidRequest) -> TranscriptFault | None:
    """What a refused history suffers from, where one repair and one more try can help."""
    text = str(error)
    if any(pattern.search(text) for pattern in SEALED_PATTERNS):
        return "sealed"
    if any(pattern.search(text) for pattern in REASONING_PATTERNS):
        return "reasoning"
    if any(pattern.search(text) for pattern in IMAGE_PATTERNS):
        return "image"
    return "pairing" if any(pattern.search(text) for pattern in PAIRING_PATTERNS) else None


def blames_a_field(error: InvalidRequest) -> bool:
    """Whether the server refuses a field of the protocol rather than what stands in a message."""
    text = str(error)
    return any(pattern.search(text) for pattern in FIELD_PATTERNS)


def _failure_class(status: int | None, names: tuple[str, ...], message: str, details: Any) -> FailureClass:
    if _is_quota(status, names, message, details):
        return QuotaExhausted
    if status in _CLIENT_FAULT and any(pattern.search(message) for pattern in KEY_PATTERNS):
        return AuthenticationFailed
    if status in _REDIRECT:
        return InvalidRequest
    if status == 404:
        return ModelNotFound if _named(*names) is ModelNotFound or "model" in message.lower() else InvalidRequest
    if status is not None and status in BY_STATUS:
        return BY_STATUS[status]
    if status in _SERVER_FAULT:
        return ProviderUnavailable
    if named := _named(*names):
        return named
    return InvalidRequest if status in _CLIENT_FAULT else ProviderUnavailable


def _is_quota(status: int | None, names: tuple[str, ...], message: str, details: Any) -> bool:
    if status == 402 or _named(*names) is QuotaExhausted:
        return True
    if status in _SERVER_FAULT:
        return False
    daily = any(DAILY_QUOTA.search(str(body.get("quotaId", ""))) for body in _mappings(details))
    return daily or (_gives_no_return_time(details) and any(pattern.search(message) for pattern in QUOTA_PATTERNS))


def _gives_no_return_time(details: Any) -> bool:
    """Google's per-minute limits use the words of a spent quota, but tell when to come back."""
    return not any("retryDelay" in body for body in _mappings(details))


def _named(*names: str | None) -> FailureClass | None:
    for name in names:
        if name and (found := BY_NAME.get(name.lower())):
            return found
    return None


def _position(message: str, details: Any) -> str | None:
    if match := _POSITION.search(message):
        return match.group(0)
    params = (body.get("param") for body in _mappings(details))
    return next((param for param in params if isinstance(param, str) and param), None)


def _mappings(details: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a parsed body, outermost first."""
    if isinstance(details, Mapping):
        yield details
        for value in details.values():
            yield from _mappings(value)
    elif isinstance(details, list):
        for value in details:
            yield from _mappings(value)


def _one_line(message: str, status: int | None) -> str:
    text = message.strip()
    if text[:1] == "<":
        return "a web page came instead of an answer; is the base URL right, or a proxy in the way?"
    text = _SECRET.sub("[key]", " ".join(text.split()))
    if not text:
        return "the server gave no reason" if status else "the stream carried an error without a reason"
    return text if len(text) <= MAX_ERROR_MESSAGE_CHARS else f"{text[: MAX_ERROR_MESSAGE_CHARS - 1]}…"


def _status_note(status: int | None) -> str:
    return f" (HTTP {status})" if status not in (None, 200) else ""


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
