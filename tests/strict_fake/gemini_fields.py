"""Gemini takes its own field names in camelCase and in snake_case; everything else here knows only the first.

What a tool's author named (arguments, results, schemas) is left as it is.
"""

from typing import Any

from tests.strict_fake.refusal import Json
from tests.strict_fake.words import words

_FIELDS = {
    name: name.split("_")[0] + "".join(part.capitalize() for part in name.split("_")[1:])
    for name in words(
        """generation_config system_instruction tool_config safety_settings cached_content function_declarations
        parameters_json_schema function_call function_response inline_data file_data executable_code
        code_execution_result thought_signature thinking_config include_thoughts thinking_level thinking_budget
        max_output_tokens response_json_schema response_schema response_mime_type generate_content_request"""
    )
}
_FREE = frozenset(
    words("args response parameters parametersJsonSchema responseSchema responseJsonSchema responseFormat")
)


def camel_fields(value: Any) -> Any:
    """The same value with the API's own names in camelCase."""
    if isinstance(value, list):
        return [camel_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    out: Json = {}
    for key, item in value.items():
        name = _FIELDS.get(str(key), str(key))
        out[name] = item if name in _FREE else camel_fields(item)
    return out
