"""Completion in statements whose words are no expressions: split, topology, use, drop, calls."""

from __future__ import annotations

from collections.abc import Iterable

from treemip.core.resolve.builtins import DEFAULT_FORMULATIONS
from treemip.core.resolve.formulations import formulation_named, is_file
from treemip.core.resolve.module_files import ModuleFolders, module_folders
from treemip.core.resolve.modules import formulation_names, library_module, shared_names
from treemip.core.resolve.settings.topology import KINDS
from treemip.core.resolve.statements import BARE
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.study.lsp.cursor import Call, Cursor
from treemip.study.lsp.declared import declared, rows
from treemip.study.lsp.hover import module_page
from treemip.study.lsp.results import Item
from treemip.study.lsp.view import View


def statement_items(view: View, cursor: Cursor) -> list[Item] | None:
    """What the statement at the cursor takes; None where it takes expressions."""
    first, call = cursor.first, cursor.call
    if first == "split" and call is None:
        return _split(view, cursor)
    if first == "split" and call is not None and call.opener == "(":
        return parameters_of(view, call, cursor.start) if _names_an_argument(call) else None
    if first == "topology" and call is None:
        known = {name: text.removeprefix("topology ") for name, text in KINDS.items()}
        return [Item(k, "keyword", text, cursor.start) for k, text in known.items()]
    if first == "topology" and cursor.before == "(":
        return [Item("depth", "parameter", "depth = ", cursor.start)]
    if first == "use":
        names = (*_files(view), *shared_names())
        return [_module(view, name, cursor.start) for name in names]
    if first == "drop" and not {"when", "unless"} & {x.text for x in cursor.unit}:
        return [
            *(Item(r.name, "value", r.name, cursor.start, m.name) for r, m, _ in rows(view)),
            *_plain(("when", "unless"), cursor.start),
        ]
    if cursor.before == "by":
        return _plain((*BARE, "big_m"), cursor.start)
    if first == "formulation" and cursor.before == "splits":
        return _plain(DEFAULT_FORMULATIONS, cursor.start)
    return _arguments(view, cursor)


def _plain(words: Iterable[str], start: int) -> list[Item]:
    return [Item(word, "keyword", word, start) for word in words]


def _split(view: View, cursor: Cursor) -> list[Item]:
    if len(cursor.unit) == 1:
        return _plain(DEFAULT_FORMULATIONS, cursor.start)
    if cursor.before != "by":
        return _plain(("by",), cursor.start) if len(cursor.unit) == 2 else []
    kind = cursor.unit[1].text
    names = [*_files(view), *formulation_names()]
    return [
        _module(view, name, cursor.start)
        for name in names
        if _kind_of(view, name) in (kind, None) or kind not in DEFAULT_FORMULATIONS
    ]


MOST_FILES = 60
"""Files of a folder that are looked into."""


def _files(view: View) -> list[str]:
    """Modules in the text's folder: files that state nothing that only a spec does."""
    folders = module_folders(view.path.parent)
    names = [k for k in folders.names("") if k != view.path.stem and k.isidentifier()]
    return [name for name in names[:MOST_FILES] if _is_module(folders, name)]


def _is_module(folders: ModuleFolders, name: str) -> bool:
    source = Source("<name>", name)
    reference = n.Reference(text=name, span=source.span(0, len(name)))
    try:
        text = next(folders.candidates(reference, ""), None)
    except TreemipError:
        return False
    return text is not None and not text.is_spec


def _kind_of(view: View, name: str) -> str | None:
    """The kind of a formulation's splits; None of one in a file, which is not read for it."""
    file = library_module(name)
    return file.header.kind if file is not None and file.header is not None else None


def _module(view: View, name: str, start: int) -> Item:
    file = library_module(name)
    header = file.header if file is not None else None
    detail = "" if file else "a file of this folder"
    if header is not None:
        detail = header.purpose or header.paper
    about = module_page(view, name) if file else ""
    return Item(name, "module", name, start, detail, about)


# -------------------------------------------------------------------------------- arguments


def _names_an_argument(call: Call) -> bool:
    """Whether the name of an argument comes next: after the bracket or a comma."""
    return not call.inside or call.inside[-1].text == ","


def formulation_parameters(view: View, name: str, is_path: bool = False) -> list[n.Param]:
    """The parameters of a formulation that a text names."""
    linked = [m for m in view.modules if m.role == "formulation" and m.owner != "spec"]
    if linked and any(m.name == name for m in linked):
        found = [d for m in linked for d in m.declarations.values()]
        return [d for d in found if isinstance(d, n.Param)]
    path = str(view.path.parent / name) if is_path or is_file(name) else name
    try:
        statements = formulation_named(path, view.path.parent).statements
    except TreemipError:
        return []
    return [s for s in statements if isinstance(s, n.Param)]


def parameters_of(view: View, call: Call, start: int) -> list[Item]:
    if call.name is None:
        return []
    name = call.name.text.strip('"')
    given = {x.text for x in call.inside if x.kind == "name"}
    return [
        Item(
            p.name,
            "parameter",
            f"{p.name} = ",
            start,
            f"= {' '.join(p.value.span.text.split())}" + (f" — {p.doc}" if p.doc else ""),
        )
        for p in formulation_parameters(view, name, call.name.kind == "string")
        if p.name not in given
    ]


def _arguments(view: View, cursor: Cursor) -> list[Item] | None:
    """The named arguments of a term; None where the call is none."""
    call = cursor.call
    if call is None or call.opener != "(" or call.name is None or not _names_an_argument(call):
        return None
    one = declared(view, call.name.text)
    if one is None or not isinstance(one.node, n.Term) or not one.node.parameters:
        return None
    return [Item(p, "parameter", f"{p} = ", cursor.start) for p in one.node.parameters]
