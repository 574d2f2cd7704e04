"""Random transcripts through the whole pipeline: `python -m tests.campaigns.transcripts --count 10000`.

Each history is stored in a session, projected, prepared by the whole pipeline (now and then with an engine that lies),
turned into the body each adapter would send, encoded, and read by the strict fake's rules in this process. None may be
refused; a request that the guard will not let out at all is counted apart.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

from openclaw_tui.context.budget import context_budget
from openclaw_tui.context.engine import AssembleRequest, AssembleResult, CompactRequest, CompactResult, SessionRef
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.engines.legacy import LegacyContextEngine
from openclaw_tui.context.pipeline import PipelineInputs, PreparedRequest, prepare_request
from openclaw_tui.errors import PreemptiveContextOverflow
from openclaw_tui.messages import Message, ToolDefinition
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.system_prompt import SystemPrompt
from openclaw_tui.providers import anthropic_request, google_request, openai_chat_request, openai_responses_request
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.chat_dialects import chat_dialect
from openclaw_tui.providers.openai_body import ModelCaches
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.transcript.policy import transcript_policy
from tests.campaigns.histories import Histories
from tests.strict_fake.checks import check_request
from tests.strict_fake.exchange import Exchange, Memory, Record
from tests.strict_fake.options import Options
from tests.strict_fake.refusal import Refused
from tests.strict_fake.segments import Estimator

MODELS = (
    find_model("anthropic/claude-opus-5"),
    find_model("openai/gpt-6.1-sol"),
    ModelInfo("gate", "model-1", "openai-chat", context_window=200_000, max_output=8_000, images=True),
    find_model("google/gemini-4-argon"),
)
_TOOLS = (ToolDefinition("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),)
_PROTOCOLS = {"anthropic": "anthropic", "openai-responses": "responses", "openai-chat": "chat", "google": "gemini"}
_OPTIONS = Options(alternate=True)
_ESTIMATE = Estimator(3.5)


class _Liar:
    """An engine that leaves out, doubles and shuffles what it is given."""

    def __init__(self, inner: LegacyContextEngine, chance: random.Random) -> None:
        self._inner, self._chance = inner, chance

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        found = [message for message in request.messages if self._chance.random() < 0.8]
        if found and self._chance.random() < 0.5:
            found.insert(0, self._chance.choice(found))
        if self._chance.random() < 0.2:
            self._chance.shuffle(found)
        return AssembleResult(found or list(request.messages))


async def _no_compaction(_: CompactRequest) -> CompactResult:
    return CompactResult(ok=False, compacted=False)


async def run(*, count: int, seed: int) -> Counter[str]:
    """What was made of `count` histories for each API."""
    seen: Counter[str] = Counter()
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        history = Histories(chance, MODELS).history()
        manager = SessionManager.in_memory(cwd=Path("."))
        for message in history:
            manager.append_message(message)
        messages = manager.project().messages
        for model in MODELS:
            seen += await _sent(messages, model, random.Random(f"{seed}/{number}/{model.ref}"), f"{seed}/{number}")
    return seen


async def _sent(messages: tuple[Message, ...], model: ModelInfo, chance: random.Random, name: str) -> Counter[str]:
    try:
        prepared = await prepare_request(_inputs(messages, model, chance))
    except PreemptiveContextOverflow:
        return Counter({"requests": 1, "held back by the guard": 1})
    if not prepared.request.messages:
        return Counter({"requests": 1, "nothing to send": 1})
    raw, headers = wire(prepared.request)
    try:
        check(raw, headers, model)
    except Refused as refused:
        raise AssertionError(f"history {name} for {model.ref}: {refused.message}") from refused
    return _counted(prepared)


def _counted(prepared: PreparedRequest) -> Counter[str]:
    seen = Counter(requests=1, accepted=1, refused=0)
    seen["mended before the send"] += bool(prepared.faults)

    return seen


def _inputs(messages: tuple[Message, ...], model: ModelInfo, chance: random.Random) -> PipelineInputs:
    legacy = LegacyContextEngine(_no_compaction)
    lies = chance.random() < 0.15
    engine = EngineHost(
        legacy,
        (lambda: _Liar(legacy, chance)) if lies else None,
        wanted="liar" if lies else "legacy",
        strict=False,
        on_fault=lambda fault, replaced: None,
    )
    window = chance.choice((model.context_window, model.context_window, 12_000))
    return PipelineInputs(
        session=SessionRef("session", "agent:main:cli:dm:session"),
        messages=messages,
        fresh_from=0,
        model=model,
        policy=transcript_policy(model),
        thinking=chance.choice(("off", "medium", "high")),
        cache_retention=chance.choice(("none", "short", "long")),
        prompt=SystemPrompt("You are careful.", "Today \ud800 is Monday."),
        tools=_TOOLS,
        engine=engine,
        budget=context_budget(model, configured_window=window),
        history_limit=chance.choice((None, None, 1, 3)),
    )


def wire(request: ProviderRequest) -> tuple[bytes, dict[str, str]]:
    """The body that the adapter sends, as bytes, and its headers."""
    match request.model.api:
        case "anthropic":
            fold = anthropic_request.new_fold()
            made = anthropic_request.build_request(request, fold)
            headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
            return made.encoded(fold), headers | ({"anthropic-beta": ",".join(made.betas)} if made.betas else {})
        case "openai-chat":
            rows = ModelCaches(openai_chat_request.rows_of).of(request.model)
            body = openai_chat_request.build_body(request, chat_dialect(request.model), rows)
            return body.encoded(rows), {"authorization": "Bearer k"}
        case "openai-responses":
            items = ModelCaches(openai_responses_request.items_of).of(request.model)
            return openai_responses_request.build_body(request, items).encoded(items), {"authorization": "Bearer k"}
        case _:
            contents = google_request.build_body(request, google_request.new_fold())
            return json.dumps(contents, ensure_ascii=False).encode("utf-8"), {"x-goog-api-key": "k"}


def check(raw: bytes, headers: dict[str, str], model: ModelInfo) -> None:
    """Read the bytes as the strict fake reads them. Raises Refused."""
    try:
        body = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise Refused(f"the body is no JSON: {error}") from error
    record = Record(1, _PROTOCOLS[model.api], "POST", "/", headers, raw, body, model.id, True)
    check_request(Exchange(record, Memory()), _OPTIONS, _ESTIMATE)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    started = time.monotonic()
    seen = asyncio.run(run(count=given.count, seed=given.seed))
    print(dict(seen), f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
