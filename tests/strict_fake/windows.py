"""Too long a prompt, refused in the words and shapes of each provider and local server."""

from dataclasses import dataclass

from tests.strict_fake.answers import sse
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.options import Options
from tests.strict_fake.refusal import Json, anthropic_error, gemini_error, openai_error


@dataclass(frozen=True)
class Overflow:
    """`frame`: sent as the only event of a 200 stream instead of the body."""

    message: str
    body: Json
    status: int = 400
    frame: bytes | None = None


def asked_output(exchange: Exchange, default: int) -> int:
    """Output tokens that the request allows."""
    body = exchange.body
    config = body.get("generationConfig") or {}
    asked = (
        body.get("max_tokens")
        or body.get("max_completion_tokens")
        or body.get("max_output_tokens")
        or config.get("maxOutputTokens")
    )
    return int(asked or default)


def overflow_of(exchange: Exchange, window: int, options: Options) -> Overflow | None:
    """None: it fits, or the server (Ollama) cuts it silently."""
    total = exchange.record.tokens
    if options.dialect == "ollama":
        return None
    if options.dialect == "vllm":
        return _vllm(exchange, window, total)
    if total > window:
        if options.dialect == "llamacpp":
            return _llamacpp(window, total)
        if options.dialect == "lmstudio":
            return _lmstudio(exchange, window, total)
        return _provider(exchange, window, total)
    wanted = asked_output(exchange, options.max_output)
    if options.reject_sum and exchange.record.protocol == "anthropic" and total + wanted > window:
        message = (
            f"input length and `max_tokens` exceed context limit: {total} + {wanted} > {window}, decrease input "
            "length or "
            "`max_tokens` and try again"
        )
        return Overflow(message, anthropic_error(400, message))
    return None


def _provider(exchange: Exchange, window: int, total: int) -> Overflow:
    protocol = exchange.record.protocol
    if protocol == "anthropic":
        message = f"prompt is too long: {total} tokens > {window} maximum"
        return Overflow(message, anthropic_error(400, message))
    if protocol == "gemini":
        message = f"The input token count ({total}) exceeds the maximum number of tokens allowed ({window})."
        return Overflow(message, gemini_error(400, message))
    code = "context_length_exceeded"
    if protocol == "chat":
        tools = exchange.record.parts.get("tools", 0)
        message = (
            f"This model's maximum context length is {window} tokens. However, your messages resulted in {total} "
            "tokens "
            f"({total - tools} in the messages, {tools} in the functions). Please reduce the length of the messages or "
            "functions."
        )
        return Overflow(message, openai_error(400, message, code, "messages"))
    message = "Your input exceeds the context window of this model. Please adjust your input and try again."
    frame = None
    if exchange.record.stream:
        response: Json = {
            "id": "resp_overflow",
            "object": "response",
            "status": "failed",
            "error": {"code": code, "message": message},
            "output": [],
            "usage": None,
        }
        event = "response.failed"
        frame = sse(event, {"type": event, "sequence_number": 0, "response": response})
    return Overflow(message, openai_error(400, message, code, "input"), frame=frame)


def _llamacpp(window: int, total: int) -> Overflow:
    message = f"request ({total} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {
        "code": 400,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": total,
        "n_ctx": window,
    }
    return Overflow(message, {"error": error})


def _lmstudio(exchange: Exchange, window: int, total: int) -> Overflow:
    message = (
        f"Trying to keep the first {total} tokens when context the overflows. However, the model is loaded with "
        "context "
        f"length of only {window} tokens, which is not enough. Try to load the model with a larger context length, or "
        "provide a shorter input"
    )
    body = {"error": {"message": message}}
    return Overflow(message, body, status=200, frame=sse("error", body) if exchange.record.stream else None)


def _vllm(exchange: Exchange, window: int, total: int) -> Overflow | None:
    """The output asked for is reserved from the window."""
    body = exchange.body
    wanted = int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
    if total + wanted <= window:
        return None
    message = (
        f"This model's maximum context length is {window} tokens. However, you requested {total + wanted} tokens "
        f"({total} in "
        f"the messages, {wanted} in the completion). Please reduce the length of the messages or completion."
    )
    return Overflow(
        message, {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}
    )
