"""Refusals of every provider become the error that tells what to do."""

from typing import Any

import pytest

from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ModelNotFound,
    OpenClawError,
    ProviderContextOverflow,
    ProviderError,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
)
from openclaw_tui.providers import failure_patterns as known
from openclaw_tui.providers.failures import classify, transcript_fault, transport_failure


def refusal(status: int | None, message: str, **rest: Any) -> OpenClawError:
    given: dict[str, Any] = {"provider": "p", "code": None, "kind": None, **rest}
    return classify(status=status, message=message, **given)


PATTERNS = [
    (pattern, sample)
    for table in (
        known.OVERFLOW_PATTERNS,
        known.QUOTA_PATTERNS,
        known.KEY_PATTERNS,
        known.REASONING_PATTERNS,
        known.PAIRING_PATTERNS,
        known.IMAGE_PATTERNS,
        known.FIELD_PATTERNS,
        (known.RATE_WORDING, known.DAILY_QUOTA),
    )
    for pattern in table
    for sample in pattern.samples
]


@pytest.mark.parametrize(("pattern", "sample"), PATTERNS, ids=[sample[:40] for _, sample in PATTERNS])
def test_each_pattern_recognises_its_samples(pattern: known.Pattern, sample: str) -> None:
    assert pattern.search(sample)


@pytest.mark.parametrize("sample", [s for p in known.OVERFLOW_PATTERNS for s in p.samples])
@pytest.mark.parametrize("status", [200, 400, 500, None])
def test_overflow_is_recognised_for_every_provider(sample: str, status: int | None) -> None:
    assert isinstance(refusal(status, sample), ProviderContextOverflow)


@pytest.mark.parametrize(
    ("message", "tokens", "limit"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208310, 200000),
        ("The input token count (1050000) exceeds the maximum number of tokens allowed (131072).", 1050000, 131072),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens"
            " (8000 in the messages, 1001 in the functions).",
            9001,
            8192,
        ),
        ("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease", 178959, 200000),
        ("Your input exceeds the context window of this model.", None, None),
    ],
)
def test_figures_of_an_overflow_are_read(message: str, tokens: int | None, limit: int | None) -> None:
    error = refusal(400, message)
    assert isinstance(error, ProviderContextOverflow)
    assert (error.tokens, error.limit) == (tokens, limit)


def test_figures_of_a_llama_server_are_read_from_its_body() -> None:
    body = {"type": "exceed_context_size_error", "n_prompt_tokens": 9018, "n_ctx": 4096}
    error = refusal(400, "too big", kind="exceed_context_size_error", details=body)
    assert isinstance(error, ProviderContextOverflow)
    assert (error.tokens, error.limit) == (9018, 4096)


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (429, "rate_limit_error", "Too many tokens: limit of 30000 input tokens per minute"),
        (429, "tokens", "Rate limit reached: reduce the length of the messages or wait"),
        (413, "tokens", "Request too large for model: tokens per minute (TPM): Limit 6000, Requested 10000"),
        (None, "rate_limit_error", "too many tokens"),
        (400, "invalid_request_error", "messages.3.content.0: token is not allowed here"),
        (401, "authentication_error", "invalid token: prompt is too long to guess"),
        (503, "overloaded_error", "the model is overloaded, prompt is too long for now"),
    ],
)
def test_talk_of_tokens_is_no_overflow(status: int | None, kind: str, message: str) -> None:
    assert not isinstance(refusal(status, message, kind=kind), ProviderContextOverflow)


@pytest.mark.parametrize(
    ("status", "code", "kind", "message", "expected"),
    [
        (401, None, "authentication_error", "invalid x-api-key", AuthenticationFailed),
        (403, None, "permission_error", "no access", AuthenticationFailed),
        (400, None, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", AuthenticationFailed),
        (402, None, "billing_error", "pay first", QuotaExhausted),
        (400, None, "invalid_request_error", "You have reached your workspace spend limit.", QuotaExhausted),
        (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota", QuotaExhausted),
        (429, "rate_limit_exceeded", None, "Rate limit reached", RateLimited),
        (None, None, "rate_limit_error", "slow down", RateLimited),
        (404, None, "not_found_error", "model: claude-nope", ModelNotFound),
        (404, "model_not_found", None, "The model `x` does not exist", ModelNotFound),
        (404, None, None, "<html>nginx</html>", InvalidRequest),
        (529, None, "overloaded_error", "Overloaded", ProviderUnavailable),
        (200, None, "overloaded_error", "Overloaded", ProviderUnavailable),
        (None, None, "overloaded_error", "Overloaded", ProviderUnavailable),
        (500, None, "api_error", "Internal server error", ProviderUnavailable),
        (503, None, "UNAVAILABLE", "busy", ProviderUnavailable),
        (529, None, "invalid_request_error", "Overloaded", ProviderUnavailable),
        (408, None, None, "timeout", ProviderUnavailable),
        (400, None, "invalid_request_error", "max_tokens: must be positive", InvalidRequest),
        (422, None, None, "no", InvalidRequest),
        (None, None, None, "what is this", ProviderUnavailable),
    ],
)
def test_refusals_become_the_error_that_tells_what_to_do(
    status: int | None, code: str | None, kind: str | None, message: str, expected: type[ProviderError]
) -> None:
    error = refusal(status, message, code=code, kind=kind)
    assert type(error) is expected
    assert "\n" not in str(error)
    assert isinstance(error, ProviderError)
    assert error.advice


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:07 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 7.0),
        ({"retry-after": "Tue, 01 Dec 2026 09:00:00 GMT", "date": "Tue, 01 Dec 2026 10:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_wait_is_read_in_each_form(headers: dict[str, str], seconds: float | None) -> None:
    error = refusal(429, "wait", headers=headers)
    assert isinstance(error, RateLimited)
    assert error.retry_after == seconds


def _google_body(quota: str) -> dict[str, object]:
    violation = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "27s"}
    return {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [violation, wait]}}


def test_google_tells_the_wait_in_the_body_and_a_spent_day_by_its_quota_id() -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    soon = refusal(429, words, kind="RESOURCE_EXHAUSTED", details=_google_body("GenerateRequestsPerMinute"))
    assert isinstance(soon, RateLimited)
    assert soon.retry_after == 27.0
    tomorrow = refusal(429, words, kind="RESOURCE_EXHAUSTED", details=_google_body("GenerateRequestsPerDay-FreeTier"))
    assert isinstance(tomorrow, QuotaExhausted)


@pytest.mark.parametrize(
    ("message", "details", "position"),
    [
        ("messages.3.content.0: text content blocks must be non-empty", None, "messages.3.content.0"),
        ("messages.12: bad.", None, "messages.12"),
        ("* contents[3].parts[0].data: required", None, "contents[3].parts[0].data"),
        ("Invalid value", {"error": {"param": "input[2].call_id"}}, "input[2].call_id"),
        ("max_tokens: too small", None, None),
    ],
)
def test_refused_place_is_named(message: str, details: object, position: str | None) -> None:
    error = refusal(400, message, details=details)
    assert isinstance(error, InvalidRequest)
    assert error.position == position


def test_pairing_and_reasoning_faults_are_told_apart() -> None:
    def fault(message: str) -> str | None:
        error = refusal(400, message)
        assert isinstance(error, InvalidRequest)
        return transcript_fault(error)

    assert {fault(s) for p in known.REASONING_PATTERNS for s in p.samples} == {"reasoning"}
    assert {fault(s) for p in known.PAIRING_PATTERNS for s in p.samples} == {"pairing"}
    assert {fault(s) for p in known.SEALED_PATTERNS for s in p.samples} == {"sealed"}
    assert {fault(s) for p in known.IMAGE_PATTERNS for s in p.samples} == {"image"}
    assert fault("max_tokens: too small") is None


def test_message_is_one_line_without_keys_or_pages() -> None:
    error = refusal(401, "Incorrect API key provided:\n sk-proj-abcdefghijklmnop. See the site.")
    assert "abcdefgh" not in str(error)
    assert "\n" not in str(error)
    assert "<html" not in str(refusal(502, "<html><body>" + "x" * 9000))
    assert len(str(refusal(400, "y" * 9000))) < 500


def test_lost_connection_is_worth_another_try() -> None:
    error = transport_failure("anthropic", "peer closed connection")
    assert error.retryable
    assert "anthropic" in str(error)
