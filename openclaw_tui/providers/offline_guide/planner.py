"""The next step of the guide: from the request and the results so far to tool calls or an answer.

Stateless: everything is read off the conversation, so a resumed or retried turn goes on the same way. The intents of a
request are walked in order, and each takes from the results of this turn what its calls brought; the first that lacks
a result says which calls come next.
"""

from collections.abc import Sequence

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.offline_guide import answers
from openclaw_tui.providers.offline_guide.intents import Intent, understand
from openclaw_tui.providers.offline_guide.plans import PLANS, Done, Step

LABEL = "*Offline guide, not an AI model.*"
HOW_TO_CONNECT = (
    "To work with a real model: set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, or `/login`, or start a "
    "local server (Ollama, llama.cpp, LM Studio, vLLM), then choose with `/model`."
)


def next_step(request: ProviderRequest) -> list[AssistantContent]:
    """Blocks of the guide's next message."""
    turn = _current_turn(request.messages)
    text = text_of(turn[0].content) if turn else ""
    step = walk(understand(text), _done(turn))
    if isinstance(step, str):
        first = _is_screen(request) and not any(isinstance(m, AssistantMessage) for m in request.messages[: -len(turn)])
        return [TextBlock(f"{LABEL} {HOW_TO_CONNECT}\n\n{step}" if first else step)]
    offered = {tool.name for tool in request.tools}
    calls = [(name, arguments) for name, arguments in step if name in offered]
    if not calls:
        return [TextBlock(f"I would need the tool `{step[0][0]}` for that, and it is not offered here.")]
    number = sum(isinstance(m, ToolResultMessage) for m in request.messages)
    return [
        ToolCallBlock(id=f"guide_{number + at + 1}", name=name, arguments=arguments)
        for at, (name, arguments) in enumerate(calls)
    ]


def walk(intents: Sequence[Intent], done: Sequence[Done]) -> Step:
    """Carry the intents out in order over the results so far: the next calls, or the whole answer."""
    said: list[str] = []
    rest = list(done)
    for intent in intents:
        own: list[Done] = []
        step = PLANS[intent.kind](intent, own)
        while not isinstance(step, str):
            if not rest:
                return step
            own += rest[: len(step)]
            rest = rest[len(step) :]
            step = PLANS[intent.kind](intent, own)
        said.append(step)
    return "\n\n".join(part for part in said if part) or answers.help_text()


def waits_for_a_command(blocks: Sequence[AssistantContent]) -> bool:
    """True when the step only looks at a running command again: that is worth a pause."""
    return any(isinstance(b, ToolCallBlock) and b.name == "process" for b in blocks)


def _is_screen(request: ProviderRequest) -> bool:
    """Print mode keeps its standard output to the answer and says the label elsewhere."""
    return "channel=cli" not in request.system_dynamic


def _current_turn(messages: Sequence[Message]) -> list[Message]:
    """From the user's latest words to the end."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserMessage) and message.origin == "user":
            return list(messages[at:])
    return list(messages[-1:])


def _done(turn: Sequence[Message]) -> list[Done]:
    calls = {c.id: c for m in turn if isinstance(m, AssistantMessage) for c in m.tool_calls}
    return [
        Done(
            m.tool_name,
            calls[m.tool_call_id].arguments if m.tool_call_id in calls else {},
            text_of(m.content),
            m.is_error,
        )
        for m in turn
        if isinstance(m, ToolResultMessage)
    ]
