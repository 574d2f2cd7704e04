"""The built-in deterministic model: it needs no key, no network and no weights.

It is labelled for what it is, an offline guide and not an AI model. It understands plain requests (English, and Chinese
for the same intents), calls the real tools through the real loop, and answers with what they returned. The same
conversation always gives the same answer.
"""

from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import Provider
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.offline_guide.provider import OfflineGuide


def create(model: ModelInfo, credentials: Credentials) -> Provider:
    return OfflineGuide()
