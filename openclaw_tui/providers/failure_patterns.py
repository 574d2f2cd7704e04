"""The wording and the names by which servers say what went wrong, with messages seen in the field beside each.

Data only: `failures.py` decides with it. A test holds every pattern against its samples, so a changed expression that
no longer recognises a real message is noticed. The patterns of overflow never match a bare "token": rate limits speak
of tokens too.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ModelNotFound,
    ProviderError,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
)

FailureClass: TypeAlias = type[ProviderError]


class Pattern(msgspec.Struct, frozen=True):
    """A piece of wording and messages seen in the field that it must recognise."""

    wording: str
    samples: tuple[str, ...]

    def search(self, text: str) -> re.Match[str] | None:
        return re.search(self.wording, text, re.IGNORECASE)


OVERFLOW_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "request_too_large", "model_context_window_exceeded"}
)

OVERFLOW_PATTERNS = (
    Pattern(
        r"prompt (is )?too long(: (?P<tokens>\d+) tokens > (?P<limit>\d+))?",
        ("prompt is too long: 208310 tokens > 200000 maximum", "Prompt is too long"),
    ),
    Pattern(
        r"input length and .?max_tokens.? exceed context limit(: (?P<tokens>\d+) \+ \d+ > (?P<limit>\d+))?",
        ("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length",),
    ),
    Pattern(
        r"maximum context length is (?P<limit>\d+) tokens.*?(resulted in|requested) (?P<tokens>\d+)",
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in them)",
        ),
    ),
    Pattern(
        r"input token count \(?(?P<tokens>\d+)\)?.* exceeds the maximum number of tokens( allowed \(?(?P<limit>\d+))?",
        ("The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",),
    ),
    Pattern(
        r"request \((?P<tokens>\d+) tokens\) exceeds the available context size \((?P<limit>\d+) tokens\)",
        ("request (9018 tokens) exceeds the available context size (4096 tokens), try increasing it",),
    ),
    Pattern(
        r"exceeds? the (available )?context (size|window|length)|exceeds? (the )?model.{0,12} context window",
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "the request exceeds the available context size. try increasing the context size",
        ),
    ),
    Pattern(
        r"maximum (context|prompt) length( is (?P<limit>\d+))?",
        ("maximum prompt length is 131072", "exceeds the maximum context length"),
    ),
    Pattern(
        r"context (length|window|size) (has been )?exceeded|context window exceeds limit|exceeds? context limit",
        ("Context length exceeded", "context size has been exceeded"),
    ),
    Pattern(
        r"context the overflows|greater than the context length|input is too long for requested model",
        (
            "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with 4096",
            "The number of tokens to keep from the initial prompt is greater than the context length",
        ),
    ),
    Pattern(
        r"too many (input )?tokens|token limit exceeded|reduce the length of the (messages|prompt)",
        ("Please reduce the length of the messages or functions.", "too many input tokens in the prompt"),
    ),
)

RATE_WORDING = Pattern(
    r"per[ -](minute|second|hour|day)|\b[TR]PM\b|rate.?limit",
    ("Limit 30000 tokens per minute reached, too many tokens", "exceeded your organization's rate limit"),
)

QUOTA_PATTERNS = (
    Pattern(
        r"credit balance is too low|spend(ing)? limit|billing|exceeded your current quota, please check your plan",
        (
            "Your credit balance is too low to access the API.",
            "You have reached your specified workspace spend limit.",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
    ),
)
DAILY_QUOTA = Pattern(r"perday", ("GenerateRequestsPerDayPerProjectPerModel-FreeTier",))

KEY_PATTERNS = (
    Pattern(
        r"api key not valid|invalid api key|incorrect api key|api_key_invalid|api key expired",
        ("API key not valid. Please pass a valid API key.", "Incorrect API key provided: sk-a***"),
    ),
)

REASONING_PATTERNS = (
    Pattern(
        r"invalid `?signature`? in `?thinking`?|`?thinking`? or `?redacted_thinking`? blocks .*cannot be modified"
        r"|expected `?'?thinking|thinking block",
        (
            "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different"
            " conversation.",
            "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be"
            " modified",
            "Expected 'thinking' or 'redacted_thinking', but found 'tool_use'",
        ),
    ),
    Pattern(
        r"missing a thought_signature|(invalid|corrupted) thought.signature",
        (
            "Function call `read` in the 2. content block is missing a thought_signature.",
            "Corrupted thought signature.",
        ),
    ),
    Pattern(
        r"of type 'reasoning' was provided without|without its required 'reasoning' item|encrypted content",
        (
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
        ),
    ),
)

IMAGE_PATTERNS = (
    Pattern(
        r"could not process image|process input image|image (data|file).{0,60}(not|invalid)|image exceeds"
        r"|unsupported image|invalid_?image|image is not valid|image dimensions exceed|load image"
        r"|image was specified using|image_url|base64.{0,20} image",
        (
            "Could not process image",
            "messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
            "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed"
            " size: 8000 pixels",
            "messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the"
            " image appears to be a image/jpeg image",
            "You uploaded an unsupported image. Please make sure your image has of one the following formats",
            "The image data you provided does not represent a valid image. Please check your input and try again.",
            "Unable to process input image. Please retry or report the failure.",
            "Provided image is not valid.",
            "Failed to load image or audio file",
            "Invalid 'input[3].content[1].image_url'. Expected a base64-encoded data URL with an image MIME type",
        ),
    ),
)

FIELD_PATTERNS = (
    Pattern(
        r"extra inputs are not permitted|unknown (parameter|field|name)|unrecognized (request )?argument|cache_control"
        r"|prompt_cache_breakpoint|cannot find field|unexpected (field|property)",
        (
            "messages.0.content.0.text.cache_control: Extra inputs are not permitted",
            "Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'.",
            "Invalid JSON payload received. Unknown name \"thoughtSignature\" at 'contents[1].parts[0]': Cannot find"
            " field.",
        ),
    ),
)
"""The server does not know a field that we send with every message: no message of the history is to blame."""

SEALED_PATTERNS = (
    Pattern(
        r"`compaction` block|tag 'compaction' found",
        (
            "messages.0.content.0: Invalid `signature` in `compaction` block",
            "messages.0.content.0: Input tag 'compaction' found using 'type' does not match any of the expected tags",
        ),
    ),
)

PAIRING_PATTERNS = (
    Pattern(
        r"`?tool_use`? ids were found without|unexpected `?tool_use_id`?|`?tool_use`? ids must be unique",
        (
            "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
            "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.",
        ),
    ),
    Pattern(
        r"no tool (output|call) found for function|must be followed by tool messages|must be a response to a prece",
        (
            "No tool output found for function call call_1.",
            "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        ),
    ),
    Pattern(
        r"number of function response parts|function call turn comes immediately after",
        (
            "Please ensure that the number of function response parts is equal to the number of function call parts of"
            " the function call turn.",
            "Please ensure that function call turn comes immediately after a user turn or after a function response"
            " turn.",
        ),
    ),
)

BY_NAME: Mapping[str, FailureClass] = {
    "insufficient_quota": QuotaExhausted,
    "billing_error": QuotaExhausted,
    "billing_hard_limit_reached": QuotaExhausted,
    "authentication_error": AuthenticationFailed,
    "permission_error": AuthenticationFailed,
    "invalid_api_key": AuthenticationFailed,
    "unauthenticated": AuthenticationFailed,
    "permission_denied": AuthenticationFailed,
    "rate_limit_error": RateLimited,
    "rate_limit_exceeded": RateLimited,
    "resource_exhausted": RateLimited,
    "overloaded_error": ProviderUnavailable,
    "api_error": ProviderUnavailable,
    "server_error": ProviderUnavailable,
    "timeout_error": ProviderUnavailable,
    "conflict_error": ProviderUnavailable,
    "unavailable": ProviderUnavailable,
    "internal": ProviderUnavailable,
    "deadline_exceeded": ProviderUnavailable,
    "model_not_found": ModelNotFound,
    "not_found_error": ModelNotFound,
    "invalid_request_error": InvalidRequest,
    "invalid_argument": InvalidRequest,
    "failed_precondition": InvalidRequest,
    "invalid_prompt": InvalidRequest,
}

BY_STATUS: Mapping[int, FailureClass] = {
    401: AuthenticationFailed,
    402: QuotaExhausted,
    403: AuthenticationFailed,
    408: ProviderUnavailable,
    409: ProviderUnavailable,
    425: ProviderUnavailable,
    429: RateLimited,
}
