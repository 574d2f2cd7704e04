"""What can go wrong on the way to a client, as plain values; `delivery` and `server` carry them out."""

import email.utils
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.strict_fake.refusal import Json, anthropic_error, gemini_error, openai_error

_HTTP_TEXTS = {
    400: "Bad request",
    401: "invalid x-api-key",
    402: "Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits.",
    403: "Your API key does not have permission to use the specified resource.",
    404: "The requested resource could not be found",
    413: "Request exceeds the maximum size",
    429: "This request would exceed your account's rate limit. Please try again later.",
    500: "Internal server error",
    502: "Bad gateway",
    503: "The service is temporarily unavailable.",
    504: "The request timed out",
    529: "Overloaded",
}
_ALIASES = {"miderror": "mid_error", "badargs": "bad_args", "error200": "error_200", "outoforder": "out_of_order"}


@dataclass(frozen=True)
class Fault:
    """One fault; make it with the constructors below."""

    kind: str
    args: Json = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        value = self.args.get(name)
        return default if value is None else value

    @staticmethod
    def http(
        status: int,
        retry_after: float | str | datetime | None = None,
        message: str | None = None,
        code: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> "Fault":
        """An error answer. `code`: OpenAI's error code (`insufficient_quota`), or part of Gemini's quota id
        (`PerDay`)."""
        wait = (
            email.utils.format_datetime(retry_after, usegmt=True) if isinstance(retry_after, datetime) else retry_after
        )
        args = {"status": status, "retry_after": wait, "message": message, "code": code, "headers": headers}
        return Fault("http", args)

    @staticmethod
    def mid_error(kind: str = "overloaded", after: int | None = None, failed: bool = False) -> "Fault":
        """A stream that breaks off with the protocol's own error. kind: overloaded, server, rate_limit, overflow."""
        return Fault("mid_error", {"kind": kind, "after": after, "failed": failed})

    @staticmethod
    def drop(after_bytes: int | None = None) -> "Fault":
        """The connection closes within the body (None: half way), or before the headers (0)."""
        return Fault("drop", {"after_bytes": after_bytes})

    @staticmethod
    def stall(
        seconds: float | None = None, after: int = 0, keepalive: str | None = None, interval: float = 0.05
    ) -> "Fault":
        """Headers and `after` events, then silence (or only comments or pings); None: until the client goes."""
        return Fault("stall", {"seconds": seconds, "after": after, "keepalive": keepalive, "interval": interval})

    @staticmethod
    def cut(after: int | None = None) -> "Fault":
        """The body ends cleanly, but too early: without the terminal events, or after so many events."""
        return Fault("cut", {"after": after})

    @staticmethod
    def malformed() -> "Fault":
        return Fault("malformed")

    @staticmethod
    def out_of_order() -> "Fault":
        """The first piece of content comes before the event that announces it."""
        return Fault("out_of_order")

    @staticmethod
    def empty() -> "Fault":
        """A complete answer without any content."""
        return Fault("empty")

    @staticmethod
    def html(status: int = 200) -> "Fault":
        """A web page where JSON or events were due (a captive portal, a proxy)."""
        return Fault("html", {"status": status})

    @staticmethod
    def bad_args() -> "Fault":
        """The tool arguments end too early to be JSON."""
        return Fault("bad_args")

    @staticmethod
    def redirect(location: str, status: int = 307) -> "Fault":
        return Fault("redirect", {"location": location, "status": status})

    @staticmethod
    def error_200(message: str = "Internal error", stream: bool = False) -> "Fault":
        """Status 200 and an error object, as JSON or (`stream`) as the only event, the way LM Studio does."""
        return Fault("error_200", {"message": message, "stream": stream})

    @staticmethod
    def truncate(keep_tokens: int) -> "Fault":
        """The server silently cut the prompt: usage counts only so many tokens of it."""
        return Fault("truncate", {"keep_tokens": keep_tokens})

    @staticmethod
    def zero_deltas() -> "Fault":
        """An event stream with nothing but its end."""
        return Fault("zero_deltas")

    @staticmethod
    def slow(seconds: float) -> "Fault":
        """Nothing at all for a while, then a good answer."""
        return Fault("slow", {"seconds": seconds})

    @staticmethod
    def raw(text: str, content_type: str = "text/event-stream", status: int = 200) -> "Fault":
        """These very bytes in place of an answer: another dialect, garbage, a wrong content type."""
        return Fault("raw", {"text": text, "content_type": content_type, "status": status})

    @staticmethod
    def parse(text: str) -> "dict[int, Fault]":
        """`KIND[:ARG]@N[,N]` of the command line, by main request number."""
        name, _, numbers = text.partition("@")
        name, _, argument = name.partition(":")
        name = _ALIASES.get(name.lower(), name.lower())
        return {int(number): _from_words(name, argument) for number in numbers.split(",")}


def _from_words(name: str, argument: str) -> Fault:
    if name.isdigit():
        status = int(name)
        waits = status in (429, 503, 529)
        return Fault.http(status, retry_after=(argument or "1") if waits else None)
    makers = {
        "drop": lambda: Fault.drop(int(argument) if argument else None),
        "stall": lambda: Fault.stall(float(argument or 5), after=2),
        "slow": lambda: Fault.slow(float(argument or 3)),
        "truncate": lambda: Fault.truncate(int(argument or 1000)),
        "html": lambda: Fault.html(int(argument or 200)),
        "redirect": lambda: Fault.redirect(argument),
        "error_200": lambda: Fault.error_200(argument or "Internal error"),
        "mid_error": lambda: Fault.mid_error(argument or "overloaded"),
    }
    plain = ("malformed", "out_of_order", "empty", "bad_args", "cut", "zero_deltas")
    if name not in makers and name not in plain:
        raise ValueError(f"unknown fault {name!r}")
    return makers[name]() if name in makers else Fault(name)


def http_body(fault: Fault, protocol: str) -> Json:
    """The error body of an HTTP fault in this protocol."""
    status = fault.args["status"]
    message = fault.get("message", _HTTP_TEXTS.get(status, "Error"))
    code = fault.get("code")
    if protocol == "anthropic":
        return anthropic_error(status, message)
    if protocol == "gemini":
        return gemini_error(status, message, _gemini_details(fault) if status == 429 else None)
    if code is None and status == 429:
        code = "rate_limit_exceeded"
    kind = "insufficient_quota" if code == "insufficient_quota" else None
    return openai_error(status, message, code, kind=kind)


def http_headers(fault: Fault) -> dict[str, str]:
    headers = dict(fault.get("headers", {}))
    if fault.get("retry_after") is not None:
        headers["retry-after"] = str(fault.args["retry_after"])
    return headers


def _gemini_details(fault: Fault) -> list[Json]:
    package = "type.googleapis.com/google.rpc"
    quota = f"GenerateRequests{fault.get('code', 'PerMinute')}PerProjectPerModel"
    details: list[Json] = [{"@type": f"{package}.QuotaFailure", "violations": [{"quotaId": quota}]}]
    if fault.get("retry_after") is not None:
        details.append({"@type": f"{package}.RetryInfo", "retryDelay": f"{fault.args['retry_after']}s"})
    return details
