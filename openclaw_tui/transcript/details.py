"""Step 2 of the pipeline: what tools noted for the screen and the log is taken off before anything else looks.

`details` may hold file contents, diffs, paths and secrets. It is dropped here, first, so that no later step, engine or
provider can leak it to a model.
"""

from dataclasses import replace

from openclaw_tui.messages import Message, ToolResultMessage
from openclaw_tui.report import StepReport
from openclaw_tui.transcript.incremental import Fold, FoldCache

_folds: FoldCache[None] = FoldCache()


def strip_tool_result_details(messages: tuple[Message, ...]) -> tuple[tuple[Message, ...], StepReport]:
    """Tool results without their `details`. Idempotent; the same tuple comes back when there was nothing to strip."""
    fold = _folds.take("details", messages) or Fold(state=None)
    for message in messages[len(fold.inputs) :]:
        fold.inputs.append(message)
        fold.outputs.append(_stripped(message, fold))
    _folds.keep("details", fold)
    return fold.result(messages), StepReport("details", dict(fold.counts))


def _stripped(message: Message, fold: Fold[None]) -> Message:
    if not isinstance(message, ToolResultMessage) or message.details is None:
        return message
    fold.count("stripped")
    return replace(message, details=None)
