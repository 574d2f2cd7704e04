"""How a request is refused: the exception that every rule raises, and the error bodies of the providers.

A rule never knows which shape its protocol answers with; it says what is wrong and the server dresses it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Json = dict[str, Any]

_ANTHROPIC_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_OPENAI_KINDS = {429: "rate_limit_error", 500: "server_error", 502: "server_error", 503: "server_error"}
_GEMINI_KINDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class Refused(Exception):
    """The real API would not take this request.

    `code` and `param` are OpenAI's, `details` Anthropic's; each protocol shows the ones it has.
    """

    def __init__(
        self,
        message: str,
        status: int = 400,
        *,
        code: str | None = None,
        param: str | None = None,
        details: Json | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.param, self.details = message, status, code, param, details


@contextmanager
def refuse_malformed() -> Iterator[None]:
    """Values of a wrong type anywhere in a body: the rules stumble over them, and that is a refusal too."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise Refused(f"malformed request: {type(error).__name__}: {error}") from error


def anthropic_error(status: int, message: str, details: Json | None = None, kind: str | None = None) -> Json:
    error: Json = {"type": kind or _ANTHROPIC_KINDS.get(status, "api_error"), "message": message}
    if details:
        error["details"] = details
    return {"type": "error", "error": error, "request_id": "req_" + _digest(message)}


def openai_error(
    status: int, message: str, code: str | None = None, param: str | None = None, kind: str | None = None
) -> Json:
    kind = kind or _OPENAI_KINDS.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def gemini_error(status: int, message: str, details: list[Json] | None = None) -> Json:
    error: Json = {"code": status, "message": message, "status": _GEMINI_KINDS.get(status, "UNKNOWN")}
    if details:
        error["details"] = details
    return {"error": error}


def error_body(protocol: str, refused: Refused) -> Json:
    """The body with which this protocol refuses."""
    if protocol == "anthropic":
        return anthropic_error(refused.status, refused.message, refused.details)
    if protocol == "gemini":
        return gemini_error(refused.status, refused.message)
    return openai_error(refused.status, refused.message, refused.code, refused.param)


def missing(where: str) -> Refused:
    """OpenAI's words for an absent field."""
    return Refused(f"Missing required parameter: '{where}'.", code="missing_required_parameter", param=where)


def empty_array(where: str) -> Refused:
    text = "empty array. Expected an array with minimum length 1, but got an empty array instead."
    return Refused(f"Invalid '{where}': {text}", code="empty_array", param=where)


def too_long(where: str, limit: int, length: int) -> Refused:
    text = f"Expected a string with maximum length {limit}, but got a string with length {length} instead."
    return Refused(f"Invalid '{where}': string too long. {text}", code="string_above_max_length", param=where)


def _digest(message: str) -> str:
    return hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:20]
