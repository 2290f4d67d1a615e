"""One server for all tests of this room, on a free port, and a client that talks to it."""

import os
import threading
import time

import pytest

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

from treemip.study.playground.app import application  # noqa: E402
from treemip.study.playground.limits import Limits  # noqa: E402

LIMITS = Limits(seconds=100, later=200, megabytes=3, workers=2, memory=2 << 30)


def pytest_collection_modifyitems(items):
    """Limits and signals are those of POSIX."""
    for item in items:
        if os.name != "posix" and "playground" in str(item.path):
            item.add_marker(pytest.mark.skip(reason="limits and signals are those of POSIX"))


class Served:
    """A server in a thread. app: with the state behind it."""

    def __init__(self, limits):
        self.app = application(limits)
        config = uvicorn.Config(
            self.app, port=0, log_level="error", lifespan="on", timeout_graceful_shutdown=2
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *error):
        self.server.should_exit = True
        self.thread.join(20)


@pytest.fixture(scope="session")
def served():
    with Served(LIMITS) as one:
        yield one


@pytest.fixture
def client(served):
    """A visitor of its own."""
    session = {"X-Session": os.urandom(6).hex()}
    with httpx.Client(base_url=served.url, headers=session, timeout=120) as one:
        yield one


@pytest.fixture
def credit(client):
    """The example, as a request has it."""
    return client.get("/api/examples/credit").json()


def done(client, job):
    """The answer once it is there; the events before it."""
    events = []
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                events.append(line.removeprefix("event: "))
    return client.get(f"/api/jobs/{job}").json(), events
