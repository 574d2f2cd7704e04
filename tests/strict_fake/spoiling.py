"""Faults that change a stream before it is sent: pure functions from frames to frames."""

from typing import Any

from tests.strict_fake.answers import Frame, sse
from tests.strict_fake.faults import Fault
from tests.strict_fake.refusal import Json, anthropic_error, gemini_error, openai_error
from tests.strict_fake.wire_gemini import FRAME_END

_ERRORS: dict[str, dict[str, Any]] = {
    "overloaded": {"anthropic": "overloaded_error", "openai": "server_error", "status": 503, "text": "Overloaded"},
    "server": {"anthropic": "api_error", "openai": "server_error", "status": 500, "text": "Internal server error"},
    "rate_limit": {
        "anthropic": "rate_limit_error",
        "openai": "rate_limit_exceeded",
        "status": 429,
        "text": "This request would exceed your account's rate limit.",
    },
    "overflow": {
        "anthropic": "invalid_request_error",
        "openai": "context_length_exceeded",
        "status": 400,
        "text": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
}


def spoil(frames: list[Frame], fault: Fault | None, protocol: str) -> list[Frame]:
    """The frames as the fault leaves them."""
    kind = fault.kind if fault else ""
    if fault is None:
        return frames
    if kind == "mid_error":
        after = fault.get("after", max(2, len(frames) // 2))
        return [
            *frames[:after],
            error_frame(protocol, fault.get("kind", "overloaded"), bool(fault.get("failed")), after),
        ]
    if kind == "cut":
        after = fault.get("after")
        return frames[:after] if after is not None else [frame for frame in frames if frame.kind != "end"]
    if kind == "malformed":
        return _malformed(frames, protocol)
    if kind == "out_of_order":
        return _out_of_order(frames)
    if kind == "zero_deltas":
        return [frame for frame in frames if frame.kind in ("other", "end")]
    return frames


def error_frame(protocol: str, kind: str, failed: bool = False, number: int = 0) -> Frame:
    """An error within a stream, in the protocol's own shape."""
    words = _ERRORS[kind]
    text, status = words["text"], words["status"]
    if protocol == "anthropic":
        return Frame(sse("error", anthropic_error(status, text, kind=words["anthropic"])))
    if protocol == "gemini":
        return Frame(sse(None, gemini_error(status, text), FRAME_END))
    if protocol == "chat":
        return Frame(sse(None, openai_error(status, text, words["openai"])))
    code = words["openai"]
    if not failed:
        event: Json = {"type": "error", "code": code, "message": text, "param": None, "sequence_number": number}
        return Frame(sse("error", event))
    response: Json = {
        "id": "resp_failed",
        "object": "response",
        "status": "failed",
        "error": {"code": code, "message": text},
        "output": [],
        "usage": None,
    }
    name = "response.failed"
    return Frame(sse(name, {"type": name, "sequence_number": number, "response": response}))


def _malformed(frames: list[Frame], protocol: str) -> list[Frame]:
    """The first piece of content breaks off within its JSON; then the stream goes on."""
    at = next((i for i, frame in enumerate(frames) if frame.kind == "content"), 0)
    body = frames[at].data.rstrip()
    end = (FRAME_END if protocol == "gemini" else "\n\n").encode()
    broken = Frame(body[: len(body) - 8] + end, "content")
    return [*frames[:at], broken, *frames[at + 1 :]]


def _out_of_order(frames: list[Frame]) -> list[Frame]:
    """The first piece of content before what announces it; where nothing does (Gemini), the end comes first."""
    at = next((i for i, frame in enumerate(frames) if frame.kind == "content"), None)
    if at is None:
        return frames
    start = next((i for i in range(at - 1, -1, -1) if frames[i].kind == "start"), None)
    if start is None:
        return [frames[-1], *frames[:-1]]
    mixed = list(frames)
    mixed[start], mixed[at] = mixed[at], mixed[start]
    return mixed
