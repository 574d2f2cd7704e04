"""A model server found on this machine: offered once, where somebody can answer, and the answer remembered.

Only where nothing else was said and there is no key. A yes holds for the next starts as long as the server is there; a
no is not asked again. Print mode never asks and never uses it by itself.
"""

import contextlib
import json
from collections.abc import Sequence

import msgspec

from openclaw_tui.atomic_write import atomic_write_text, make_private_dir
from openclaw_tui.config.paths import Paths
from openclaw_tui.constants import MIN_CONTEXT_TOKENS
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.local_servers import LocalModel, LocalServer, local_model_info


class LocalOffer(msgspec.Struct, frozen=True):
    """The server to ask about and the model it would be used with."""

    server: LocalServer
    model: ModelInfo

    @property
    def question(self) -> str:
        where = f"{self.server.kind} answers at 127.0.0.1:{self.server.port}"
        return f"There is no key, but {where}.\nUse its model {self.model.id}? (asked once; /model changes it any time)"


def open_offer(paths: Paths, servers: Sequence[LocalServer]) -> LocalOffer | None:
    """The first server nobody has answered about that has a model for this work."""
    known = _answers(paths)
    return next((offer for server in servers if server.kind not in known and (offer := _offer(server))), None)


def accepted_offer(paths: Paths, servers: Sequence[LocalServer]) -> LocalOffer | None:
    """The server the user said yes to, with the model of that time where it is still served."""
    known = _answers(paths)
    found = (_offer(server, known[server.kind]) for server in servers if known.get(server.kind))
    return next((offer for offer in found if offer), None)


def declined(paths: Paths) -> set[str]:
    """Kinds of servers the user does not want to hear of."""
    return {kind for kind, model in _answers(paths).items() if not model}


def remember_offer(paths: Paths, offer: LocalOffer, *, accepted: bool) -> str:
    """Keep the answer; a line where it cannot be kept, else nothing."""
    answers = _answers(paths) | {offer.server.kind: offer.model.id if accepted else ""}
    try:
        make_private_dir(paths.local_servers.parent)
        atomic_write_text(paths.local_servers, json.dumps(answers, indent=2) + "\n")
    except OSError as error:
        return f"{paths.local_servers} cannot be written ({error.strerror}); you will be asked again"
    return ""


def _offer(server: LocalServer, wanted: str = "") -> LocalOffer | None:
    fit = [model for model in server.models if _is_fit(model)]
    fit.sort(key=lambda model: (model.id != wanted, not model.loaded, model.tools is None))
    return LocalOffer(server, local_model_info(server, fit[0])) if fit else None


def _is_fit(model: LocalModel) -> bool:
    """It can call tools, as far as the server tells, and its window is no smaller than a turn needs."""
    return model.tools is not False and (model.window is None or model.window >= MIN_CONTEXT_TOKENS)


def _answers(paths: Paths) -> dict[str, str]:
    """Kind of server → model id of a yes, empty for a no. A file that cannot be read counts as none."""
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(paths.local_servers.read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return {str(kind): str(model) for kind, model in known.items()}
    return {}
