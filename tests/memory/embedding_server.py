"""A real server on loopback that answers `/v1/embeddings` by a small dictionary of meanings, always the same way."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MEANINGS = (
    {"car", "cars", "automobile", "vehicle", "vehicles", "lorry"},
    {"database", "postgres", "storage", "tables"},
    {"colour", "color", "theme", "palette"},
    {"breakfast", "lunch", "dinner", "meal"},
)


def meaning(text: str) -> list[float]:
    words = [word.strip(".,:?!-").lower() for word in text.split()]
    return [float(sum(word in group for word in words)) for group in MEANINGS] + [0.01]


class EmbeddingServer:
    """`asked` holds the texts of each request, `seen` path and authorization; `fault` is a status to answer with."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.asked: list[list[str]] = []
        self.seen: list[tuple[str, str | None]] = []
        self.fault: int = 0
        self.answer: Any = None

    @property
    def texts(self) -> list[str]:
        return [text for request in self.asked for text in request]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.seen.append((self.path, self.headers.get("Authorization")))
            told.asked.append(body["input"])
            rows = [{"object": "embedding", "index": at, "embedding": meaning(t)} for at, t in enumerate(body["input"])]
            document = told.answer or {"object": "list", "model": body["model"], "data": rows[::-1]}
            if told.fault:
                document = {"error": {"message": "the model is not loaded", "type": "server_error"}}
            data = json.dumps(document).encode()
            self.send_response(told.fault or 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = EmbeddingServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
