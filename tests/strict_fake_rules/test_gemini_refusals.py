"""Each rule of Gemini: a body that breaks it is refused in the API's words, the corrected one is taken."""

from typing import Any

import pytest

from tests.strict_fake import Call, Reply, StrictFake
from tests.strict_fake_rules.client import GEMINI, GEMINI_TOOLS, Json, called, parts, post, responded

ASK = parts("user", {"text": "x"})
CALL, RESULT = parts("model", called()), parts("user", responded())
COUNT = "number of function response parts is equal to the number of function call parts"
OLD, NEW = "/v1/models/gemini-2.5-pro:generateContent", "/v1/models/gemini-4-argon:generateContent"


def contents(*turns: Json, **more: Any) -> Json:
    return {"contents": list(turns), **more}


def declared(*names: str) -> Json:
    return contents(ASK, tools=[{"functionDeclarations": [{"name": name} for name in names]}])


REFUSED: dict[str, tuple[Json, str, Json]] = {
    "no contents": (contents(), "contents is not specified", contents(ASK)),
    "unknown role": (
        contents(parts("assistant", {"text": "x"})),
        "Please use a valid role: user, model",
        contents(ASK),
    ),
    "model first": (contents(parts("model", {"text": "x"}), ASK), "start with a user turn", contents(ASK)),
    "no parts": (contents(parts("user")), "parts must not be empty", contents(ASK)),
    "empty text": (contents(parts("user", {"text": ""})), "must have one initialized field", contents(ASK)),
    "empty part": (contents(parts("user", {})), "must have one initialized field", contents(ASK)),
    "never answered": (contents(ASK, CALL), COUNT, contents(ASK, CALL, RESULT)),
    "text for an answer": (contents(ASK, CALL, ASK), COUNT, contents(ASK, CALL, RESULT)),
    "one of two answered": (
        contents(ASK, parts("model", called(), called()), RESULT),
        COUNT,
        contents(ASK, parts("model", called(), called()), parts("user", responded(), responded())),
    ),
    "answers in two turns": (
        contents(ASK, parts("model", called(), called()), RESULT, RESULT),
        COUNT,
        contents(ASK, parts("model", called(), called()), parts("user", responded(), responded())),
    ),
    "answers out of order": (
        contents(ASK, parts("model", called("a"), called("b")), parts("user", responded("b"), responded("a"))),
        "in the order of the function call parts",
        contents(ASK, parts("model", called("a"), called("b")), parts("user", responded("a"), responded("b"))),
    ),
    "answer of nothing": (
        contents(ASK, RESULT),
        "function response turn comes immediately after a function call turn",
        contents(ASK, CALL, RESULT),
    ),
    "call after model": (
        contents(ASK, parts("model", {"text": "y"}), CALL, RESULT),
        "function call turn comes immediately after a user turn or after a function response turn",
        contents(ASK, parts("model", {"text": "y"}, called()), RESULT),
    ),
    "arguments no object": (
        contents(ASK, parts("model", {"functionCall": {"name": "bash", "args": "{}"}}), RESULT),
        "function_call.args",
        contents(ASK, CALL, RESULT),
    ),
    "result no object": (
        contents(ASK, CALL, parts("user", {"functionResponse": {"name": "bash", "response": "x"}})),
        "function_response.response",
        contents(ASK, CALL, RESULT),
    ),
    "function name": (declared("9 lives"), "Invalid function name", declared("nine.lives:9-x")),
    "function twice": (declared("a", "a"), "Duplicate function declaration found: a", declared("a", "b")),
}


@pytest.mark.parametrize("rule", REFUSED)
async def test_a_bad_body_is_refused_and_the_corrected_one_taken(rule: str) -> None:
    bad, words, good = REFUSED[rule]
    async with StrictFake(["ok"]) as fake:
        refused = await post(fake, OLD, bad, GEMINI)
        taken = await post(fake, OLD, good, GEMINI)
    assert (refused.status, refused.body["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert words in refused.message
    assert taken.status == 200, taken.text


async def test_a_key_is_needed_and_may_stand_in_the_address() -> None:
    async with StrictFake(["ok"]) as fake:
        without = await post(fake, OLD, contents(ASK), {})
        with_key = await post(fake, OLD + "?key=k", contents(ASK), {})
    assert (without.status, without.body["error"]["status"]) == (403, "PERMISSION_DENIED")
    assert with_key.status == 200


async def signed_loop(fake: StrictFake) -> list[Json]:
    """Two steps of the current turn, each with the signature that the fake gave."""
    turns = [ASK]
    for _ in range(2):
        answer = await post(fake, NEW, contents(*turns, tools=GEMINI_TOOLS), GEMINI)
        said = answer.body["candidates"][0]["content"]
        assert ["thoughtSignature" in part for part in said["parts"]] == [True, False]
        turns += [said, parts("user", responded(), responded())]
    return turns


def changed(turns: list[Json], at: int, **fields: Any) -> list[Json]:
    first, *others = turns[at]["parts"]
    part = {key: value for key, value in {**first, **fields}.items() if value is not None}
    return [*turns[:at], {**turns[at], "parts": [part, *others]}, *turns[at + 1 :]]


async def test_calls_of_the_current_turn_keep_their_signature() -> None:
    pair = [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})]
    async with StrictFake([Reply(calls=pair), Reply(calls=pair), *["ok"] * 9]) as fake:
        turns = await signed_loop(fake)

        async def again(edited: list[Json]) -> tuple[int, str]:
            answer = await post(fake, NEW, contents(*edited, tools=GEMINI_TOOLS), GEMINI)
            return answer.status, answer.message if answer.status != 200 else ""

        genuine = turns[3]["parts"][0]["thoughtSignature"]
        url_safe = genuine.replace("+", "-").replace("/", "_").rstrip("=")
        assert (await again(turns))[0] == 200
        assert (await again(changed(turns, 3, thoughtSignature=url_safe)))[0] == 200
        assert (await again(changed(turns, 3, thoughtSignature="skip_thought_signature_validator")))[0] == 200
        status, words = await again(changed(turns, 1, thoughtSignature=None))
        assert (status, "is missing a thought_signature" in words) == (400, True)
        status, words = await again(changed(turns, 3, thoughtSignature="AAAA"))
        assert (status, words) == (400, "Corrupted thought signature.")
        other = {"name": "bash", "args": {"command": "rm"}}
        status, words = await again(changed(turns, 3, functionCall=other))
        assert (status, "Invalid thought signature" in words) == (400, True)
        later = [parts("model", {"text": "ok"}), parts("user", {"text": "next"})]
        assert (await again([*changed(turns, 1, thoughtSignature=None), *later]))[0] == 200


async def test_older_models_do_not_look_at_signatures() -> None:
    async with StrictFake(["ok"]) as fake:
        answer = await post(fake, OLD, contents(ASK, CALL, RESULT), GEMINI)
    assert answer.status == 200


async def test_both_spellings_of_a_field_are_read() -> None:
    schema = {"type": "object", "properties": {"function_call": {}}}
    body: Json = {
        "system_instruction": {"parts": [{"text": "You are a bench."}]},
        "tools": [{"function_declarations": [{"name": "bash", "parameters": schema}]}],
        "contents": [ASK, parts("model", {"function_call": {"name": "bash", "args": {"file_data": 1}}})],
    }
    answer = parts("user", {"function_response": responded()["functionResponse"]})
    answered: Json = {**body, "contents": [*body["contents"], answer]}
    async with StrictFake(["ok"]) as fake:
        refused = await post(fake, OLD, body, GEMINI)
        taken = await post(fake, OLD, answered, GEMINI)
    assert COUNT in refused.message
    assert taken.status == 200, taken.text
    assert set(fake.requests[1].parts) == {"tools", "system", "messages"}
    assert fake.requests[1].body == answered
