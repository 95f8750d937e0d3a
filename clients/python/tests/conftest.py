"""The live service, in a workspace of these tests, and ways to spoil the connection to it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from svc_memory import Client


@pytest.fixture
def svc() -> Iterator[Client]:
    with Client(timeout=120) as client:
        yield client


class Relay:
    """Passes bytes between a client and the service."""

    def __init__(self) -> None:
        service = urlsplit(os.environ["SVC_URL"])
        self._target = (service.hostname or "", service.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.swallowed = 0
        """How many replies to lose: the service has done what it was asked for, and the client never hears of it."""
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """Break all connections off; new ones can be made."""
        for one in self._open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._open.clear()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            far = socket.create_connection(self._target)
            self._open += [near, far]
            threading.Thread(target=self._pump, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, True), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, is_reply: bool) -> None:
        try:
            while data := source.recv(65_536):
                if is_reply and self.swallowed > 0:
                    self.swallowed -= 1
                    break
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


@pytest.fixture
def relay() -> Iterator[Relay]:
    one = Relay()
    yield one
    one.close()
