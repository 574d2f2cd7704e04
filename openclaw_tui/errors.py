"""Every failure the program knows, as one tree.

    OpenClawError
    ├── ConfigError                    a flag, key or file is wrong; nothing was started
    ├── SessionError
    │   ├── SessionLocked              another process holds the session (pid, since when)
    │   ├── SessionNotFound
    │   ├── SessionCorrupt             nothing usable is left in the file
    │   └── SessionWriteFailed         an entry could not be stored; nothing unsaved goes on silently
    ├── ContextOverflow
    │   ├── PreemptiveContextOverflow  raised by the guard, before anything is sent
    │   └── ProviderContextOverflow    reported by the provider
    ├── ProviderError                  retryable? · status · retry_after · advice
    │   ├── AuthenticationFailed
    │   ├── QuotaExhausted             billing or a daily quota: waiting does not help
    │   ├── RateLimited
    │   ├── ProviderUnavailable        overload, network, a stream that was cut or stalled
    │   ├── InvalidRequest             the provider refused the request itself
    │   ├── ModelNotFound
    │   └── EmptyResponse
    ├── CompactionFailed               never ends a session
    ├── MemoryFailed                   a note or the search index cannot be used; the work goes on
    ├── EngineError                    a context engine broke its contract
    ├── LimitReached                   turns, money or tokens: the user's own limit
    └── ToolError                      becomes an error result for the model, not a crash
        ├── ToolArgumentsInvalid
        ├── ToolDenied
        └── ToolTimeout

`str(error)` is one line that names the thing and says what to do. SDK exceptions never leave an adapter.
"""

from typing import Literal

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NEEDS_APPROVAL = 3
EXIT_LIMIT = 4
EXIT_TRY_LATER = 75
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

LimitKind = Literal["turns", "budget", "tokens"]


class OpenClawError(Exception):
    """Root of the tree. `exit_code` is what a headless run ends with when nothing handled the error."""

    exit_code: int = EXIT_FAILED


class ConfigError(OpenClawError):
    exit_code = EXIT_USAGE


class SessionError(OpenClawError):
    pass


class SessionLocked(SessionError):
    """`pid` and `since` (ISO time) tell who holds the session."""

    exit_code = EXIT_USAGE

    def __init__(self, message: str, *, pid: int | None = None, since: str | None = None) -> None:
        super().__init__(message)
        self.pid = pid
        self.since = since


class SessionNotFound(SessionError):
    exit_code = EXIT_USAGE


class SessionCorrupt(SessionError):
    exit_code = EXIT_USAGE


class SessionWriteFailed(SessionError):
    pass


class ContextOverflow(OpenClawError):
    """The request does not fit. `tokens` and `limit` are what is known of it, in tokens."""

    def __init__(self, message: str, *, tokens: int | None = None, limit: int | None = None) -> None:
        super().__init__(message)
        self.tokens = tokens
        self.limit = limit


class PreemptiveContextOverflow(ContextOverflow):
    pass


class ProviderContextOverflow(ContextOverflow):
    pass


class ProviderError(OpenClawError):
    """A model call failed. `retry_after` is in seconds; `advice` is one sentence for the user.

    `position` names the refused place where the provider told it, for example `messages.3.content.0`.
    """

    retryable: bool = False
    default_advice: str = ""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
        position: str | None = None,
        advice: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.position = position
        self.advice = advice if advice is not None else self.default_advice


class AuthenticationFailed(ProviderError):
    default_advice = "Check the key: /login stores one, or set the provider's environment variable."


class QuotaExhausted(ProviderError):
    default_advice = (
        "The account's quota or credit is used up; waiting will not help. Choose another model with /model."
    )


class RateLimited(ProviderError):
    retryable = True
    exit_code = EXIT_TRY_LATER
    default_advice = "The provider asks to wait."


class ProviderUnavailable(ProviderError):
    retryable = True
    exit_code = EXIT_TRY_LATER
    default_advice = "The provider cannot be reached or is overloaded; try again later or choose another model."


class InvalidRequest(ProviderError):
    default_advice = "The provider refused the request; the session itself is intact."


class ModelNotFound(ProviderError):
    default_advice = "Choose a model that the provider offers: /model or `openclaw-tui models`."


class EmptyResponse(ProviderError):
    retryable = True
    default_advice = "The model answered nothing."


class CompactionFailed(OpenClawError):
    """`fallback_text` is the last-resort text that can stand for the history, where there is one."""

    def __init__(self, message: str, *, fallback_text: str | None = None) -> None:
        super().__init__(message)
        self.fallback_text = fallback_text


class MemoryFailed(OpenClawError):
    pass


class EngineError(OpenClawError):
    """`engine` and `operation` name the engine and the lifecycle method that failed."""

    def __init__(self, message: str, *, engine: str, operation: str) -> None:
        super().__init__(message)
        self.engine = engine
        self.operation = operation


class LimitReached(OpenClawError):
    exit_code = EXIT_LIMIT

    def __init__(self, message: str, *, kind: LimitKind) -> None:
        super().__init__(message)
        self.kind: LimitKind = kind


class ToolError(OpenClawError):
    pass


class ToolArgumentsInvalid(ToolError):
    pass


class ToolDenied(ToolError):
    exit_code = EXIT_NEEDS_APPROVAL


class ToolTimeout(ToolError):
    pass
