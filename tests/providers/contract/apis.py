"""The APIs that the contract runs over."""

from tests.providers.contract.dialects import Anthropic, Dialect, Google
from tests.providers.contract.openai_dialects import OpenAIChat, OpenAIResponses

DIALECTS: tuple[Dialect, ...] = (Anthropic(), OpenAIResponses(), OpenAIChat(), Google())
