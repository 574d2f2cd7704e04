"""What each provider tolerates in a transcript, as one record chosen in one `match`.

No other module of the pipeline asks which provider it is. The field names of the first group are the article's; the
figures are the providers' documented limits, written beside the arm they belong to.
"""

import re
from functools import lru_cache
from typing import Literal

import msgspec

from openclaw_tui.constants import IMAGE_MAX_SIDE_PIXELS
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.models import ModelInfo

_WEB_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_GEMINI_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
_FAMILY_API_NAMES = {
    "anthropic-messages": "anthropic",
    "openai-completions": "openai-chat",
    "google-generative-ai": "google",
}
_MODEL_DATE_OR_ALIAS = re.compile(r"(?:-\d{8}|-\d{4}-\d{2}-\d{2}|@\d{8}|-latest)$")


class ImageRules(msgspec.Struct, frozen=True):
    """Which pictures may travel. Sides are in pixels, sizes in characters of base64.

    A picture wider than `comfortable_side` is scaled before its first send where Pillow is installed; without Pillow it
    travels up to `max_side` until the request holds more than `many` pictures, then a note takes its place. `most` is
    how many a request may hold at all.
    """

    types: frozenset[str] = _WEB_IMAGES
    in_tool_results: bool = True
    max_side: int = 8000
    comfortable_side: int = IMAGE_MAX_SIDE_PIXELS
    many: int = 20
    max_base64_chars: int = 5 * 1024 * 1024
    most: int | None = None


class TranscriptPolicy(msgspec.Struct, frozen=True):
    """How a transcript must look for one provider.

    `sanitize_mode`: `google` keeps signed parts even where they hold no text, since Gemini wants them back.
    `tool_id_max_chars`: longest call id. `paired_item_ids`: ids have the form `call_id|item_id` and the item id goes
    back only with the reasoning it belongs to (OpenAI Responses); elsewhere the item id is dropped.
    `validate_*_turns`: which turn rules `validate_replay_turns` applies; the OpenAI ones are the strict alternation
    that local chat templates demand.
    `atomic_reasoning`: reasoning and the item after it go together or not at all.
    `thinking_first`: an answer with thinking must begin with it.
    `drop_thinking_blocks`: set for a session whose reasoning a provider has refused; no model needs it from the start.
    `missing_call_signature`: what the adapter puts where a call came from another model and a signature is demanded.
    """

    sanitize_mode: Literal["default", "google"] = "default"
    sanitize_tool_call_ids: bool = True
    validate_anthropic_turns: bool = False
    validate_gemini_turns: bool = False
    repair_tool_use_result_pairing: bool = True
    drop_thinking_blocks: bool = False

    validate_openai_turns: bool = False
    tool_id_max_chars: int = 64
    tool_name_max_chars: int = 64
    paired_item_ids: bool = False
    atomic_reasoning: bool = False
    thinking_first: bool = False
    missing_call_signature: str | None = None
    images: ImageRules = ImageRules()

    @property
    def alternates(self) -> bool:
        """True where neighbouring messages of one role must be merged and the first must be the user's."""
        return self.validate_anthropic_turns or self.validate_gemini_turns or self.validate_openai_turns


def transcript_policy(model: ModelInfo) -> TranscriptPolicy:
    """The policy for a model, by its wire protocol."""
    match model.api:
        case "anthropic":  # ids ^[a-zA-Z0-9_-]+$, at most 64; names at most 128, we stay portable with 64
            return TranscriptPolicy(validate_anthropic_turns=True, thinking_first=True, images=ImageRules(most=100))
        case "openai-responses":  # call_id at most 64; no alternation; pictures up to 20 MB
            return TranscriptPolicy(
                paired_item_ids=True,
                atomic_reasoning=True,
                images=ImageRules(max_base64_chars=20 * 1024 * 1024, most=500),
            )
        case "openai-chat":  # ids at most 40; tool messages are text; templates may insist on alternation
            return TranscriptPolicy(
                tool_id_max_chars=40,
                validate_openai_turns=True,
                images=ImageRules(in_tool_results=False),
            )
        case "google":  # no GIF; a call without signature needs the documented placeholder value
            return TranscriptPolicy(
                sanitize_mode="google",
                validate_gemini_turns=True,
                missing_call_signature="skip_thought_signature_validator",
                images=ImageRules(types=_GEMINI_IMAGES, max_base64_chars=20 * 1024 * 1024),
            )
        case "offline" | "scripted":
            return TranscriptPolicy(sanitize_tool_call_ids=False)


def signatures_travel(message: AssistantMessage, model: ModelInfo) -> bool:
    """True when the opaque parts of an answer may go to `model`: same protocol, same provider, same model family."""
    return _same_source(message.api, message.provider, message.model, model.api, model.provider, model.id)


@lru_cache(maxsize=1024)
def _same_source(api: str, provider: str, name: str, to_api: str, to_provider: str, to_name: str) -> bool:
    same_api = _FAMILY_API_NAMES.get(api, api) == to_api
    return same_api and provider == to_provider and model_family(name) == model_family(to_name)


def model_family(model_id: str) -> str:
    """A model id without the date or alias at its end: dated snapshots of one model read each other's reasoning."""
    return _MODEL_DATE_OR_ALIAS.sub("", model_id)
