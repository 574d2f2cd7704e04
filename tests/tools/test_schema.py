"""Arguments of a model's call: small slips are put right, everything else is named."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.errors import ToolArgumentsInvalid
from openclaw_tui.messages import ToolCallBlock, ToolDefinition
from openclaw_tui.tools.schema import arguments_of, check_arguments

DEFINITION = ToolDefinition(
    "demo",
    "",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1},
            "ratio": {"type": "number"},
            "deep": {"type": "boolean"},
            "mode": {"type": "string", "enum": ["in_progress", "done"]},
            "names": {"type": "array", "items": {"type": "string"}},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                    "required": ["oldText", "newText"],
                },
            },
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize(
    ("given_arguments", "checked"),
    [
        ({"path": "a"}, {"path": "a"}),
        ({"file_path": "a"}, {"path": "a"}),
        ({"filePath": "a", "unknown": 1}, {"path": "a"}),
        ({"path": "a", "offset": "12"}, {"path": "a", "offset": 12}),
        ({"path": "a", "offset": 12.0}, {"path": "a", "offset": 12}),
        ({"path": "a", "offset": 0}, {"path": "a", "offset": 1}),
        ({"path": "a", "offset": None}, {"path": "a"}),
        ({"path": "a", "ratio": "1.5"}, {"path": "a", "ratio": 1.5}),
        ({"path": "a", "deep": "True"}, {"path": "a", "deep": True}),
        ({"path": 7}, {"path": "7"}),
        ({"path": ["a"]}, {"path": "a"}),
        ({"path": "a", "mode": "In-Progress"}, {"path": "a", "mode": "in_progress"}),
        ({"path": "a", "names": "x"}, {"path": "a", "names": ["x"]}),
        ({"path": "a", "names": '["x", "y"]'}, {"path": "a", "names": ["x", "y"]}),
        (
            {"path": "a", "edits": {"old_string": "x", "new_string": "y"}},
            {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        ),
        (
            {"path": "a", "edits": '[{"oldText": "x", "newText": "y"}]'},
            {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        ),
        ({"path": "a", "env": '{"A": 1}'}, {"path": "a", "env": {"A": "1"}}),
    ],
)
def test_what_is_meant_is_understood(given_arguments: dict[str, Any], checked: dict[str, Any]) -> None:
    assert check_arguments(DEFINITION, given_arguments) == checked


@pytest.mark.parametrize(
    ("given_arguments", "named"),
    [
        ({}, ["demo", "path is missing", "nothing"]),
        ({"offset": 1}, ["path is missing", "offset"]),
        ({"path": None}, ["path", "null"]),
        ({"path": {"a": 1}}, ["path", "a text", "an object"]),
        ({"path": "a", "offset": "twelve"}, ["offset", "a whole number", "twelve"]),
        ({"path": "a", "offset": 1.5}, ["offset", "a whole number"]),
        ({"path": "a", "offset": True}, ["offset", "boolean"]),
        ({"path": "a", "ratio": "nan"}, ["ratio", "a number"]),
        ({"path": "a", "deep": "maybe"}, ["deep", "true or false"]),
        ({"path": "a", "mode": "other"}, ["mode", "in_progress, done", "other"]),
        ({"path": "a", "edits": [{"oldText": "x"}]}, ["edits[0].newText is missing"]),
        ({"path": "a", "edits": ["x"]}, ["edits[0]", "an object"]),
        ({"path": "a", "env": {"A": []}}, ["env.A", "a text"]),
    ],
)
def test_what_is_not_is_named(given_arguments: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(ToolArgumentsInvalid) as raised:
        check_arguments(DEFINITION, given_arguments)
    assert all(text in str(raised.value) for text in ("demo", *named))
    assert "\n" not in str(raised.value)


def test_arguments_that_arrive_as_text() -> None:
    assert arguments_of(ToolCallBlock("1", "demo", {}, invalid_arguments='"{\\"path\\": \\"a\\"}"')) == {"path": "a"}
    assert arguments_of(ToolCallBlock("1", "demo", {}, invalid_arguments="")) == {}
    with pytest.raises(ToolArgumentsInvalid, match=r'demo: .*\{"path": "a'):
        arguments_of(ToolCallBlock("1", "demo", {}, invalid_arguments='{"path": "a'))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*DEFINITION.parameters["properties"], "file_path", "x"]), _JSON))
@settings(max_examples=200, deadline=None)
def test_the_answer_fits_or_the_call_is_refused(arguments: dict[str, Any]) -> None:
    try:
        checked = check_arguments(DEFINITION, arguments)
    except ToolArgumentsInvalid:
        return
    assert isinstance(checked["path"], str)
    assert type(checked.get("offset", 1)) is int
    assert all(isinstance(name, str) for name in checked.get("names", []))
    assert check_arguments(DEFINITION, checked) == checked
