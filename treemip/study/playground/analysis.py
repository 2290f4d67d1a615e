"""The process that analyses texts for the page's editor: problems, hovers, completions and so on.

A request is a line of JSON on standard input, its answer one on standard output. Each visitor's
files lie in a folder of their own, and requests of that visitor can read nothing outside it.
`analysts.py` starts these processes and ends those that take too long.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from treemip.study.playground.units import Units
from treemip.study.sandbox.system_limits import limit

KEPT = 6
"""Visitors whose files and analyses are kept."""

GROWN = 700 << 20
"""Bytes of memory at its peak; a process that has used more is replaced by a new one."""

STACK = 256 << 20
"""Bytes of the stack, since deeply nested texts are walked by recursion."""

MOST_ITEMS = 300
"""Completions that are proposed."""

Json = dict[str, Any]


def run() -> None:
    """The entry point. The first line of input has the folder and the limits."""
    from treemip.core.files.undo import end_with

    end_with(os.getppid())
    first = json.loads(sys.stdin.readline())
    limit(first["memory"], None, first["written"], nice=0)
    threading.stack_size(STACK)
    thread = threading.Thread(target=_serve, args=(Path(first["folder"]), first["most"]))
    thread.start()
    thread.join()


def _serve(folder: Path, most: int) -> None:
    from treemip.study.lsp import completion, hover, outline, problems, signatures, tokens  # noqa: F401

    visitors: OrderedDict[str, Visitor] = OrderedDict()
    print("{}", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        key = request["visitor"]
        if key not in visitors:
            visitors[key] = Visitor(folder, most)
        visitors.move_to_end(key)
        while len(visitors) > KEPT:
            visitors.popitem(last=False)[1].folder.remove()
        found = visitors[key].answer(request)
        print(json.dumps({"answer": found, "grown": _has_grown()}), flush=True)


def _has_grown() -> bool:
    """Whether the process has used too much memory to be kept."""
    try:
        import resource
    except ImportError:
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > GROWN


class Visitor:
    """The files of one visitor, and what is known of them."""

    def __init__(self, within: Path, most: int) -> None:
        from treemip.study.lsp.documents import Documents
        from treemip.study.sandbox.folder import Folder

        self.folder = Folder(most, within)
        self.documents = Documents()
        self.files: dict[str, str] = {}
        self.tables: dict[str, str] = {}

    def answer(self, request: Json) -> Json:
        """Errors as {"error", "help"}."""
        from treemip.core.instance.columns import Unreadable
        from treemip.core.resources import grammar_path, library_path, specs_path
        from treemip.core.source.confined import confined_to
        from treemip.core.source.diagnostic import TreemipError

        shipped = (library_path(), grammar_path().parent, specs_path())
        os.chdir(self.folder.path)
        try:
            with confined_to((self.folder.path, *shipped)):
                work = self.described if "table" in request else self.looked
                found = work(request)
        except TreemipError as error:
            first = error.diagnostics[0]
            found = {"error": first.message, "help": first.remedy}
        except Unreadable as error:
            found = {"error": f"'{request['name']}': {error.message}", "help": error.remedy}
        except Exception as error:  # one visitor's odd text must not end the process for all
            found = {"error": _unforeseen(error), "help": "make the text or the table smaller"}
        places = {f"{self.folder.path}{os.sep}": "", str(self.folder.path): "this folder"}
        for path in (library_path().parent, grammar_path().parent):
            places[f"{path}{os.sep}"] = ""
        return without(found, places)

    # ------------------------------------------------------------------------------- files

    def take(self, files: dict[str, str], tables: dict[str, str]) -> None:
        """Write the files of this request, and remove earlier ones that it does not have."""
        for name in (*self.files, *self.tables):
            if name not in files and name not in tables:
                self._leave(name)
        for name, text in files.items():
            if self.files.get(name) != text:
                self.folder.put(name, text)
                self.files[name] = text
                if name.endswith(".tree"):
                    self.documents.put(self.uri(name), text)
                else:
                    self.documents.changed_on_disk()
        for name, file in tables.items():
            if self.tables.get(name) != file:
                self.folder.link(name, Path(file))
                self.tables[name] = file
                self.documents.changed_on_disk()

    def _leave(self, name: str) -> None:
        self.files.pop(name, None)
        self.tables.pop(name, None)
        path = self.folder.path / name
        path.unlink(missing_ok=True)
        with suppress(OSError):  # what was a folder may be a file's name next
            for folder in list(path.parents)[: len(Path(name).parts) - 1]:
                folder.rmdir()
        self.documents.close(self.uri(name))

    def uri(self, name: str) -> str:
        from treemip.study.lsp.positions import uri_of

        return uri_of(self.folder.path / name)

    # ----------------------------------------------------------------------------- answers

    def described(self, request: Json) -> Json:
        """Rows and columns of a table."""
        from treemip.study.lsp.table import TableCache, column_facts

        self.take({}, {request["name"]: request["table"]})
        raw = TableCache().table(self.folder.path / request["name"])
        columns = [{"name": c.name, "about": c.about} for c in column_facts(raw).values()]
        return {"rows": raw.count, "columns": columns}

    def looked(self, request: Json) -> Json:
        """What the request wants to know of a text: a part for each word of WANTED."""
        self.take(request["files"], request["tables"])
        document = self.documents.get(self.uri(request["spec"]))
        units = Units(document.text)
        at = units.offset(request["at"]) if request["at"] is not None else 0
        found: Json = {}
        wanted = set(request["want"])
        if "data" in wanted:
            self.documents.bind(document)
            wanted.add("problems")
        for word in sorted(wanted & WANTED.keys()):
            found |= WANTED[word](self, document, units, at)
        return found


def _problems(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.problems import problems

    view, facts = visitor.documents.view(document), visitor.documents.of_data(document)
    found = [_problem(one, view, units) for one in problems(view, facts.problems)]
    return {"problems": found, **({"table": facts.about} if facts.about else {})}


def _problem(one: Any, view: Any, units: Units) -> Json:
    fix = None
    if one.fix is not None:
        fix = {"title": one.fix.title, "changes": _changes(one.fix.changes, units)}
    related = [
        {
            "file": place.path,
            "message": text,
            **_range(place, units if place.path == view.name else None),
        }
        for place, text in one.related
    ]
    return {
        "code": one.code,
        "severity": one.severity,
        "message": one.message,
        **_range(one, units),
        "fix": fix,
        "related": related,
    }


def _range(one: Any, units: Units | None) -> Json:
    if units is None:
        return {"start": one.start, "end": one.end}
    return {"start": units.of(one.start), "end": units.of(one.end)}


def _changes(changes: Iterable[Any], units: Units) -> list[Json]:
    return [{**_range(one, units), "text": one.text} for one in changes]


def _tokens(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.tokens import tokens

    found = tokens(visitor.documents.view(document))
    return {
        "tokens": [
            {**_range(one, units), "kind": one.kind, "modifiers": list(one.modifiers)}
            for one in found
        ]
    }


def _outline(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.outline import outline

    def entry(one: Any) -> Json:
        return {
            "name": one.name,
            "kind": one.kind,
            "detail": one.detail,
            **_range(one, units),
            "children": [entry(each) for each in one.children],
        }

    return {"outline": [entry(one) for one in outline(visitor.documents.view(document))]}


def _hover(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.hover import hover

    view = visitor.documents.view(document)
    found = hover(view, at, visitor.documents.of_data(document))
    return {"hover": None if found is None else {"text": found.text, **_range(found, units)}}


def _completion(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.completion import completion

    view = visitor.documents.view(document)
    items = completion(view, at, visitor.documents.of_data(document))[:MOST_ITEMS]
    return {"completion": [{**asdict(one), "start": units.of(one.start)} for one in items]}


def _signature(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.study.lsp.signatures import signature_help

    found = signature_help(visitor.documents.view(document), at)
    return {"signature": None if found is None else asdict(found)}


def _formatted(visitor: Visitor, document: Any, units: Units, at: int) -> Json:
    from treemip.core.source.diagnostic import TreemipError
    from treemip.study.lsp.layout import formatting

    view = visitor.documents.view(document)
    try:
        return {"formatted": _changes(formatting(view.name, view.text), units)}
    except TreemipError:
        return {"formatted": []}  # its faults are shown already


WANTED: dict[str, Callable[[Visitor, Any, Units, int], Json]] = {
    "problems": _problems,
    "tokens": _tokens,
    "outline": _outline,
    "hover": _hover,
    "completion": _completion,
    "signature": _signature,
    "format": _formatted,
}


def _unforeseen(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "this takes more memory than is available here"
    if isinstance(error, RecursionError):
        return "this is nested too deeply"
    return "this cannot be read"


def without(found: Any, places: dict[str, str]) -> Any:
    """An answer with the machine's own paths replaced in all its texts."""
    if isinstance(found, str):
        for place, instead in places.items():
            found = found.replace(place, instead)
        return found
    if isinstance(found, dict):
        return {key: without(value, places) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [without(value, places) for value in found]
    return found


if __name__ == "__main__":
    run()
