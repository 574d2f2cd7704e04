"""Texts into vectors: by an OpenAI-compatible `/v1/embeddings` endpoint, or by a model folder on this disk.

Blocking, for a worker thread. Nothing is downloaded, ever; a key goes out only where `http.check_address` lets it. The
libraries are imported on first use: the SDK is there anyway, the reader of folders comes with `[embeddings]`.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from openclaw_tui.constants import CONNECT_TIMEOUT_SECONDS, EMBEDDING_TIMEOUT_SECONDS
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.http import check_address, failure_text, is_loopback, quiet_loggers

if TYPE_CHECKING:
    from openai import OpenAI

EXTRA = "pip install 'openclaw-tui[embeddings]'"
_NO_KEY = "none"
_MODEL_FILES = ("model.safetensors", "tokenizer.json", "config.json")


class Embedder(Protocol):
    """`id` names the model, so that vectors of two models never meet. `embed` raises MemoryFailed."""

    @property
    def id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector for each text, in their order."""
        ...

    def close(self) -> None: ...


class EndpointEmbedder:
    """An endpoint that answers as OpenAI's does: llama.cpp, Ollama, LM Studio, vLLM, OpenAI itself."""

    def __init__(self, provider: str, model: str, base_url: str | None, credentials: Credentials) -> None:
        self.id = f"{provider}/{model}"
        self._provider = provider
        self._model = model
        self._base_url = base_url or credentials.base_url
        self._key = credentials.api_key
        self._client: OpenAI | None = None

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        import httpx2
        import openai

        client = self._client = self._client or self._build()
        try:
            answer = client.embeddings.create(
                model=self._model, input=[text or " " for text in texts], encoding_format="float"
            )
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors: list[Sequence[float]] = [row.embedding for row in rows]
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise MemoryFailed(f"{self.id}: {failure_text(error)}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise MemoryFailed(f"{self.id}: the answer holds no embeddings") from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1 or not all(vectors):
            raise MemoryFailed(f"{self.id}: {len(vectors)} embeddings came for {len(texts)} texts, or not all alike")
        return vectors

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _build(self) -> "OpenAI":
        import httpx2
        import openai

        if self._key is None and self._base_url is None:
            raise MemoryFailed(f"{self.id}: no key is known; set OPENAI_API_KEY or use /login")
        check_address(self._provider, self._base_url, has_key=self._key is not None)
        quiet_loggers()
        timeout = httpx2.Timeout(EMBEDDING_TIMEOUT_SECONDS, connect=CONNECT_TIMEOUT_SECONDS)
        return openai.OpenAI(
            api_key=self._key.reveal() if self._key else _NO_KEY,
            base_url=self._base_url,
            max_retries=1,
            timeout=timeout,
            http_client=httpx2.Client(
                trust_env=not is_loopback(self._base_url), follow_redirects=False, timeout=timeout
            ),
        )


class FolderEmbedder:
    """A static embedding model as Model2Vec writes them; small, no network, no GPU."""

    def __init__(self, folder: Path) -> None:
        missing = [name for name in _MODEL_FILES if not (folder / name).is_file()]
        if missing:
            raise MemoryFailed(f"{folder} is no model folder: it lacks {' and '.join(missing)}")
        status = (folder / _MODEL_FILES[0]).stat()
        mark = hashlib.sha256(f"{folder.resolve()} {status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[:12]
        self.id = f"folder/{folder.name}-{mark}"
        try:
            from model2vec import StaticModel
            from safetensors import SafetensorError
        except ImportError as error:
            raise MemoryFailed(f"a model folder needs the embeddings extra: {EXTRA}") from error
        try:
            for name in _MODEL_FILES[1:]:
                json.loads((folder / name).read_text(encoding="utf-8"))
            self._model = StaticModel.from_pretrained(str(folder), force_download=False)
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise MemoryFailed(f"{folder} cannot be read as a model: {failure_text(error)}") from error

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return list(self._model.encode(list(texts), show_progress_bar=False, use_multiprocessing=False))

    def close(self) -> None:
        """Nothing is held open."""
