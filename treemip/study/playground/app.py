"""The playground's requests, and the answer to each, as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache, wraps
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from treemip.api.shipped_examples import example_files
from treemip.core.resolve.examples import example_paths, examples
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.study.playground import requests as asked
from treemip.study.playground import work
from treemip.study.playground.analysis import WANTED
from treemip.study.playground.analysts import DATA, TEXTS, Analysts, TooSlow
from treemip.study.playground.denied import Denied, denied, refused
from treemip.study.playground.fair_queue import FairQueue
from treemip.study.playground.guard import PAGE_POLICY, Guard, most_bytes, too_large
from treemip.study.playground.limits import LOOK, TABLE, Limits
from treemip.study.playground.tables import Tables
from treemip.study.playground.tasks import Task, Work
from treemip.study.sandbox.folder import Folder

ASSETS = Path(__file__).parent / "assets"

Handler = Callable[["Playground", Request], Awaitable[Response]]

WORDS = ("data", *WANTED)

PAGES = ("page", "mathematics", "report")
"""Parts of an answer that are whole pages."""

KEEP_ALIVE = 15.0
"""Seconds between two comments that keep a stream of events open."""


class Playground:
    """What all requests share. Its folder and its processes are removed by `end`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.folder = Folder(limits.tables)
        self.tables = Tables(self.folder, limits)
        self.analysts = Analysts(self.folder, limits)
        self.queue = FairQueue(limits)

    async def end(self) -> None:
        await self.queue.end()
        await self.analysts.end()
        self.folder.remove()

    def visitor(self, request: Request) -> str:
        """Who asks: the address, and the name that the page gave its session."""
        client = request.client.host if request.client else ""
        return f"{client} {request.headers.get('x-session', '')[:64]}"

    async def body(self, request: Request) -> bytes:
        """Raises Denied (413) once too much has arrived, whatever length was announced."""
        most = most_bytes(self.limits, request.url.path)
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > most:
                raise too_large(most)
        return bytes(data)

    async def json(self, request: Request) -> asked.Json:
        return asked.read_json(await self.body(request))

    def submit(self, request: Request, work: Work) -> Task:
        task = Task(self.visitor(request), work, self.limits)
        self.queue.submit(task)
        return task

    def files_of(self, texts: asked.Texts) -> dict[str, Path]:
        return {name: self.tables.get(id).path for name, id in texts.tables.items()}


def answered(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler whose refusals become answers."""

    @wraps(handler)
    async def safe(request: Request) -> Response:
        try:
            return await handler(request.app.state.playground, request)
        except TreemipError as error:
            refusal = denied(error)
        except Denied as error:
            refusal = error
        except ClientDisconnect:
            return Response(status_code=499)
        return JSONResponse(refusal.to_json(), refusal.status)

    return safe


# ---------------------------------------------------------------------------------- the page


async def index(playground: Playground, request: Request) -> Response:
    return _asset("index.html")


async def asset(playground: Playground, request: Request) -> Response:
    return _asset(request.path_params["name"])


def _asset(name: str) -> Response:
    path = ASSETS / name
    if path.parent != ASSETS or name.startswith(".") or not path.is_file():
        raise Denied(404, "there is no such page")
    return FileResponse(path, headers={"cache-control": "no-cache"})


async def list_examples(playground: Playground, request: Request) -> Response:
    return JSONResponse(await asyncio.to_thread(_examples))


@cache
def _examples() -> list[asked.Json]:
    return [
        {
            "name": name,
            "title": name.rpartition("/")[2].replace("-", " "),
            "purpose": about,
        }
        for name, about in examples().items()
    ]


def _places(name: str) -> dict[str, Path]:
    """The files of an example by their place in specs/, the spec first."""
    root = specs_path().resolve()
    return {p.resolve().relative_to(root).as_posix(): p for p in example_files(name)}


async def one_example(playground: Playground, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in await asyncio.to_thread(_known):
        raise Denied(404, "there is no such example", "GET /api/examples lists them")
    return JSONResponse(await asyncio.to_thread(_example, name))


@cache
def _known() -> frozenset[str]:
    return frozenset(example_paths())


@cache
def _example(name: str) -> asked.Json:
    files = {place: path.read_text("utf-8") for place, path in _places(name).items()}
    return {"spec": next(iter(files)), "files": files}


# -------------------------------------------------------------------------------- the editor


async def look(playground: Playground, request: Request) -> Response:
    """What an editor shows of a text; {"superseded": true} if a later request came meanwhile."""
    found = await playground.json(request)
    texts = asked.Texts.read(found)
    want = asked.words(found, "want", WORDS)
    question = {
        "files": dict(texts.files),
        "tables": {name: str(path) for name, path in playground.files_of(texts).items()},
        "spec": texts.spec,
        "at": asked.whole_number(found, "at"),
        "want": want,
    }
    kind, visitor = " ".join(sorted(want)), playground.visitor(request)
    seconds, lane = (TABLE, DATA) if "data" in want else (LOOK, TEXTS)
    try:
        answer = await playground.analysts.ask(visitor, kind, question, seconds, lane)
    except TooSlow:
        answer = {"problems": [_slow(texts, seconds)]}
    if answer is None:
        answer = {"superseded": True}
    if "error" in answer:
        raise Denied(400, answer["error"], answer["help"])
    return JSONResponse({"version": asked.whole_number(found, "version"), **answer})


def _slow(texts: asked.Texts, seconds: float) -> asked.Json:
    end = max(0, texts.files[texts.spec].find("\n"))
    message = (
        f"analysing this text took more than {seconds:g} s, or more memory than is available here"
    )
    remedy = "help: make it shorter, or use treemip check on your machine"
    place: asked.Json = {"start": 0, "end": end, "fix": None, "related": []}
    return {"code": "E112", "severity": "note", "message": f"{message}\n{remedy}", **place}


async def upload(playground: Playground, request: Request) -> Response:
    name = request.query_params.get("name", "")
    content = await playground.body(request)
    if not content:
        raise Denied(400, "the table is empty", "choose a file with a header and rows")
    visitor = playground.visitor(request)
    table = playground.tables.add(visitor, name, content)
    question, own = {"table": str(table.path), "name": name}, f"{visitor} {table.id}"
    try:
        facts = await playground.analysts.ask(own, "table", question, TABLE, DATA)
    except TooSlow:
        facts = {"error": "reading the table takes too long or too much memory", "help": ""}
    except Denied:
        playground.tables.drop(table.id)
        raise
    if facts is None or "error" in facts:
        playground.tables.drop(table.id)
        facts = facts or {"error": "the table was not read", "help": "upload it again"}
        raise Denied(400, facts["error"], facts["help"])
    return JSONResponse({"id": table.id, "name": name, "bytes": table.size, **facts})


# ---------------------------------------------------------------------------------- solves


async def solve(playground: Playground, request: Request) -> Response:
    found = await playground.json(request)
    texts, settings = asked.Texts.read(found), asked.parameters(found)
    most = playground.limits.seconds
    first = work.of_tree(texts.spec, settings)
    then = work.about_tree()
    seconds = asked.number(found, "seconds", most, most)
    tables = playground.files_of(texts)
    task = playground.submit(request, Work(texts.files, tables, first, then, seconds))
    return JSONResponse({"job": task.id})


async def explain(playground: Playground, request: Request) -> Response:
    found = await playground.json(request)
    texts, settings = asked.Texts.read(found), asked.parameters(found)
    steps = work.of_text(texts.spec, settings)
    tables = playground.files_of(texts)
    task = playground.submit(request, Work(texts.files, tables, [], steps, playground.limits.later))
    return JSONResponse({"job": task.id})


async def init(playground: Playground, request: Request) -> Response:
    """A first spec for a table, once it has been made."""
    found = await playground.json(request)
    label, name = asked.optional_text(found, "label"), asked.optional_text(found, "name")
    id, text = asked.optional_text(found, "table"), found.get("text")
    files, tables = {}, {}
    if id is not None:
        table = playground.tables.get(id)
        name = table.name
        tables[name] = table.path
    elif isinstance(text, str) and name is not None:
        texts = asked.Texts.read({"files": {name: text}, "spec": name})
        files = dict(texts.files)
    else:
        raise Denied(400, "the request has neither 'table' nor 'name' with 'text'")
    steps = work.of_table(name, label)
    task = playground.submit(request, Work(files, tables, steps, [], playground.limits.later))
    async for _ in task.follow():
        pass
    spec = task.answer.get("spec")
    if spec is None:
        raise refused(task.answer.get("err") or "no spec was made")
    return JSONResponse({"spec": spec, "name": work.SPEC_OF_TABLE, "note": task.answer["err"]})


async def job(playground: Playground, request: Request) -> Response:
    """The answer, as far as it has come."""
    task = playground.queue.get(request.path_params["id"])
    before = playground.queue.before(task)
    task.touch()
    return JSONResponse({"job": task.id, "state": task.state, "before": before, **task.answer})


async def page(playground: Playground, request: Request) -> Response:
    task = playground.queue.get(request.path_params["id"])
    part = request.path_params["part"]
    text = task.answer.get(part) if part in PAGES else None
    if text is None:
        raise Denied(404, "there is no such page yet")
    return HTMLResponse(text, headers={"content-security-policy": PAGE_POLICY})


async def stop(playground: Playground, request: Request) -> Response:
    task = playground.queue.get(request.path_params["id"])
    task.stop()
    return JSONResponse({"job": task.id, "state": task.state})


async def events(playground: Playground, request: Request) -> Response:
    task = playground.queue.get(request.path_params["id"])
    return StreamingResponse(_stream(task), media_type="text/event-stream")


async def _stream(task: Task) -> AsyncIterator[str]:
    """Server-sent events, with comments in between that keep the connection open."""
    following = task.follow()
    news = asyncio.ensure_future(anext(following))
    try:
        while True:
            done, _ = await asyncio.wait([news], timeout=KEEP_ALIVE)
            if not done:
                yield ": waiting\n\n"
                continue
            try:
                event = news.result()
            except StopAsyncIteration:
                return
            data = {key: value for key, value in event.items() if key != "event"}
            yield f"event: {event['event']}\ndata: {json.dumps(data)}\n\n"
            news = asyncio.ensure_future(anext(following))
    finally:
        news.cancel()
        with suppress(asyncio.CancelledError, StopAsyncIteration):
            await news
        await following.aclose()  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------ registration

ROUTES: dict[str, tuple[str, Handler]] = {
    "/": ("GET", index),
    "/assets/{name}": ("GET", asset),
    "/api/examples": ("GET", list_examples),
    "/api/examples/{name:path}": ("GET", one_example),
    "/api/look": ("POST", look),
    "/api/tables": ("POST", upload),
    "/api/init": ("POST", init),
    "/api/solve": ("POST", solve),
    "/api/explain": ("POST", explain),
    "/api/jobs/{id}": ("GET", job),
    "/api/jobs/{id}/events": ("GET", events),
    "/api/jobs/{id}/stop": ("POST", stop),
    "/api/jobs/{id}/{part}": ("GET", page),
}


def application(limits: Limits | None = None) -> Starlette:
    """The server as an ASGI application."""
    limits = limits or Limits()
    playground = Playground(limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        starting = asyncio.create_task(playground.analysts.start())
        yield
        starting.cancel()
        await playground.end()

    routes = [
        Route(path, answered(handler), methods=[method])
        for path, (method, handler) in ROUTES.items()
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, limits=limits)],
        lifespan=lifespan,
        exception_handlers={404: _missing, 405: _missing, 500: _broken},
    )
    app.state.playground = playground
    return app


async def _missing(request: Request, error: Exception) -> Response:
    return JSONResponse(Denied(404, "there is no such page").to_json(), 404)


async def _broken(request: Request, error: Exception) -> Response:
    refusal = Denied(500, "the server failed on this request", "other requests are not affected")
    return JSONResponse(refusal.to_json(), 500)
