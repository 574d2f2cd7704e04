"""Whatever a client sends, the fake refuses or answers; it never breaks. The tables of bad bodies are the seeds."""

import collections
import copy
import random
from collections.abc import Iterator
from typing import Any

from tests.strict_fake import Options
from tests.strict_fake.billing import Billing
from tests.strict_fake.checks import check_request
from tests.strict_fake.exchange import Exchange, Memory, Record
from tests.strict_fake.kinds import kind_of, read_wish
from tests.strict_fake.refusal import Refused, refuse_malformed
from tests.strict_fake.segments import Estimator
from tests.strict_fake.tool_map import ToolMap
from tests.strict_fake_rules.client import GEMINI, OLD_ANTHROPIC, OPENAI, Json
from tests.strict_fake_rules.test_anthropic_refusals import REFUSED as ANTHROPIC_TABLE
from tests.strict_fake_rules.test_gemini_refusals import REFUSED as GEMINI_TABLE
from tests.strict_fake_rules.test_openai_refusals import CHAT, RESPONSES

SEEDS: list[tuple[str, Json]] = [
    *(("anthropic", body) for row in ANTHROPIC_TABLE.values() for body in (row[0], row[2])),
    *(("chat", body) for chat_row in CHAT.values() for body in (chat_row[0], chat_row[3])),
    *(("responses", body) for row in RESPONSES.values() for body in (row[0], row[2])),
    *(("gemini", body) for row in GEMINI_TABLE.values() for body in (row[0], row[2])),
]
HEADERS = {"anthropic": OLD_ANTHROPIC, "chat": OPENAI, "responses": OPENAI, "gemini": GEMINI}
MODELS = {"anthropic": "claude-opus-5-5", "chat": "gpt-5.4", "responses": "gpt-6.2-sol", "gemini": "gemini-4-argon"}
VALUES: list[Any] = [None, "", [], {}, "x", " ", 0, True, "user", "assistant", {"type": "text", "text": "x"}, "a.b:0"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def mutated(body: Json, rng: random.Random) -> Json:
    body = copy.deepcopy(body)
    for _ in range(rng.randrange(1, 4)):
        found = list(places(body))
        if not found:
            break
        *way, last = rng.choice(found)
        parent: Any = body
        for key in way:
            parent = parent[key]
        if rng.random() < 0.5:
            parent[last] = copy.deepcopy(rng.choice(VALUES))
        elif isinstance(parent, list) and rng.random() < 0.7:
            parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(rng.choice(parent)))
        else:
            del parent[last]
    return body


def test_mutated_bodies_are_refused_or_understood() -> None:
    results = collections.Counter(understood(random.Random(seed)) for seed in range(2000))
    assert min(results[True], results[False]) > 100


def understood(rng: random.Random) -> bool:
    protocol, body = rng.choice(SEEDS)
    body = mutated(body, rng)
    model = MODELS[protocol] if protocol == "gemini" or rng.random() < 0.5 else str(body.get("model", ""))
    record = Record(1, protocol, "POST", "/", HEADERS[protocol], body=body, model=model)
    exchange = Exchange(record, Memory())
    options, estimate = Options(), Estimator()
    billing = Billing(options, estimate)
    try:
        prompt = check_request(exchange, options, estimate)
        with refuse_malformed():
            billing.describe(exchange, prompt)
            wish = read_wish(exchange)
            kind = kind_of(exchange, wish, ToolMap(wish.tools, "."), scripted=True, summaries=True)
    except Refused:
        return False
    assert kind in ("main", "summary")
    usage = billing.charge(exchange, prompt)
    assert usage["read"] + usage["write"] + usage["uncached"] == usage["total"] == record.tokens
    return True
