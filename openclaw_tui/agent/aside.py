"""A question beside the talk: one model call on the context as it is, whose answer nobody keeps.

The request is the one the talk would send next (or has just sent, while a turn runs) with the question at its end, so
the provider's cache is used and nothing before the question changes. Tools are listed, since leaving them out would
break the cache, but none is run. Stored is what it cost, as an entry that no model sees.
"""

import dataclasses
import time

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.side_call import side_call
from openclaw_tui.constants import ASIDE_MAX_OUTPUT_TOKENS
from openclaw_tui.errors import OpenClawError, SessionWriteFailed
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import Message, TextBlock, UserMessage, text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.session.custom_types import ASIDE

_FRAME = (
    "[A question beside the work. Answer it in a few sentences from what you know of this conversation. Call no tool:"
    " none will be run. Neither the question nor your answer stays in the conversation, so do not go on with the work.]"
)


class AsideAnswer(msgspec.Struct, frozen=True):
    """`text` is the answer; `cached` of the `read` prompt tokens came from the provider's cache."""

    text: str
    read: int
    cached: int
    cost_usd: float | None
    seconds: float

    @property
    def figures(self) -> str:
        """`12,400 tokens read, 98 % from the cache · $0.0021 · 2 s`."""
        share = f", {self.cached / self.read:.0%} from the cache" if self.read and self.cached else ""
        price = f" · ${self.cost_usd:.4f}" if self.cost_usd is not None else ""
        return f"{self.read:,} tokens read{share}{price} · {self.seconds:.0f} s"


async def ask_aside(deps: AgentDeps, question: str, *, busy: bool) -> AsideAnswer:
    """The answer. Raises what the provider raises, LimitReached where the money is spent."""
    request = await _request(deps, busy=busy)
    started = time.monotonic()
    messages = _with_question(request.messages, question)
    wire = replace(
        request, messages=messages, max_output_tokens=min(request.max_output_tokens, ASIDE_MAX_OUTPUT_TOKENS)
    )
    answer = await side_call(deps, wire)
    text = text_of(answer.content).strip()
    if not text:
        text = "The model gave no words" + (
            " but wanted to use tools; ask it as a message." if answer.tool_calls else "."
        )
    usage = answer.usage
    found = AsideAnswer(text, usage.prompt_tokens, usage.cache_read, answer.cost_usd, time.monotonic() - started)
    _keep(deps, found)
    return found


async def _request(deps: AgentDeps, *, busy: bool) -> ProviderRequest:
    last = deps.requests.last
    if busy and last is not None:
        return last  # what is in the provider's cache now; the running turn is not disturbed
    if busy:
        raise OpenClawError("The turn has sent nothing yet; ask again in a moment.")
    await deps.requests.gather()
    prepared = await deps.requests.prepare()
    deps.limits.check(steps=0, spent_usd=deps.spent_usd, next_usd=prepared.estimated_usd, tokens=0)
    return prepared.request


def _with_question(messages: tuple[Message, ...], question: str) -> tuple[Message, ...]:
    """Behind a last user message the question joins it as one more block: roles must alternate."""
    blocks = (TextBlock(f"{_FRAME}\n\n{question}"),)
    last = messages[-1] if messages else None
    if isinstance(last, UserMessage):
        return (*messages[:-1], dataclasses.replace(last, content=(*last.content, *blocks)))
    return (*messages, UserMessage(blocks, origin="custom"))


def _keep(deps: AgentDeps, found: AsideAnswer) -> None:
    deps.acts.ledger.record(
        LedgerRow(
            time=deps.clock(),
            layer="talk",
            verb="aside",
            reason=f"a question beside the talk: {found.figures}",
            cost_usd=found.cost_usd,
            seconds=found.seconds,
        )
    )
    if found.cost_usd:
        try:
            deps.manager.append_custom(ASIDE, {"costUsd": found.cost_usd})
        except SessionWriteFailed as error:
            deps.acts.notice("warning", f"{error} The price of the aside waits to be stored.")
