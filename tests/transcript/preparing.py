"""The transcript steps of the pipeline in their order, as the tests need them."""

from openclaw_tui.messages import Message
from openclaw_tui.models import ModelInfo
from openclaw_tui.report import StepReport
from openclaw_tui.transcript.details import strip_tool_result_details
from openclaw_tui.transcript.limit import limit_history_turns
from openclaw_tui.transcript.policy import transcript_policy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing
from openclaw_tui.transcript.sanitize import sanitize_session_history
from openclaw_tui.transcript.validate import validate_replay_turns


def prepare(
    messages: tuple[Message, ...], model: ModelInfo, *, limit: int | None = None
) -> tuple[tuple[Message, ...], list[StepReport]]:
    policy = transcript_policy(model)
    stripped, details = strip_tool_result_details(messages)
    clean, sanitized = sanitize_session_history(stripped, policy, model)
    turned, turns = validate_replay_turns(clean, policy)
    limited, dropped = limit_history_turns(turned, limit)
    paired, repaired = repair_tool_use_result_pairing(limited, policy)
    return paired, [details, sanitized, turns, dropped, repaired]
