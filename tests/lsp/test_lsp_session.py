"""Sessions with the server: all requests on all shipped specs, and messages without a sense."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_lsp
from lsp_client import ROOT, Client
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

from treemip.core.resources import specs_path
from treemip.study.lsp.positions import uri_of
from treemip.study.lsp.requests import REQUESTS

SPECS = sorted(specs_path().rglob("*.tree"))

COMMAND = ["-m", "treemip", "lsp", "--stdio"]


def command() -> list[str]:
    import sys

    return [sys.executable, *COMMAND]


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=command(), server_env={"PYTHONPATH": str(ROOT)})
)
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=pytest_lsp.client_capabilities("visual_studio_code"),
            root_uri=uri_of(specs_path()),
        )
    )
    yield
    await lsp_client.shutdown_session()


async def ask_all(client: LanguageClient, uri: str, position: lsp.Position) -> None:
    """Every request at a position; a rename may be refused."""
    place = {"text_document": lsp.TextDocumentIdentifier(uri), "position": position}
    whole = {"text_document": lsp.TextDocumentIdentifier(uri)}
    await client.text_document_hover_async(lsp.HoverParams(**place))
    await client.text_document_completion_async(lsp.CompletionParams(**place))
    await client.text_document_signature_help_async(lsp.SignatureHelpParams(**place))
    await client.text_document_definition_async(lsp.DefinitionParams(**place))
    context = lsp.ReferenceContext(include_declaration=True)
    await client.text_document_references_async(lsp.ReferenceParams(context=context, **place))
    await client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**place))
    await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(**whole))
    await client.text_document_folding_range_async(lsp.FoldingRangeParams(**whole))
    await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(**whole))
    await client.text_document_code_lens_async(lsp.CodeLensParams(**whole))
    layout = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    formatting = lsp.DocumentFormattingParams(options=layout, **whole)
    await client.text_document_formatting_async(formatting)
    actions = lsp.CodeActionParams(
        range=lsp.Range(position, position), context=lsp.CodeActionContext([]), **whole
    )
    await client.text_document_code_action_async(actions)
    with suppress(JsonRpcException):
        await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**place))
    with suppress(JsonRpcException):
        await client.text_document_rename_async(lsp.RenameParams(new_name="renamed", **place))


async def run_lenses(client: LanguageClient, uri: str) -> None:
    """What stands above a spec, run as an editor would."""
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
    lenses = await client.text_document_code_lens_async(params)
    assert lenses
    for lens in lenses:
        command = lens.command
        assert command is not None
        execute = lsp.ExecuteCommandParams(command.command, command.arguments)
        answer = await client.workspace_execute_command_async(execute)
        assert answer["code"] == 0, answer


@pytest.mark.asyncio
async def test_every_request_on_every_shipped_spec(client: LanguageClient) -> None:
    for path in SPECS:
        uri, text = uri_of(path), path.read_text(encoding="utf-8")
        item = lsp.TextDocumentItem(uri, "treemip", 1, text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        lines = text.split("\n")
        for number in range(0, len(lines), max(1, len(lines) // 3)):
            position = lsp.Position(number, len(lines[number]) // 2)
            await ask_all(client, uri, position)
        if path.stem == "iris":
            await run_lenses(client, uri)
        identifier = lsp.TextDocumentIdentifier(uri)
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))
    assert [m.message for m in client.log_messages if "Traceback" in m.message] == []
    assert all(not found for found in client.diagnostics.values())


# ------------------------------------------------------------------------------ raw messages


@pytest.fixture
def session() -> Iterator[Client]:
    one = Client()
    yield one
    if one.process.poll() is None:
        one.process.kill()


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    folder = tmp_path / "Maß und Größe"
    folder.mkdir()
    shutil.copytree(specs_path() / "data", folder / "data")
    return Path(shutil.copy(specs_path() / "credit.tree", folder / "größe.tree"))


def test_a_user_mends_a_spec(session: Client, spec: Path) -> None:
    good = spec.read_text(encoding="utf-8")
    uri, text = uri_of(spec), good.replace("scale minmax;", "scale minmax")
    session.open(uri, text)
    (problem,) = session.problems(uri)
    assert problem["code"] == "E106"
    params = {
        "textDocument": {"uri": uri},
        "range": problem["range"],
        "context": {"diagnostics": []},
    }
    (action,) = session.ask("textDocument/codeAction", params)
    (edit,) = action["edit"]["changes"][uri]
    change = {"range": edit["range"], "text": edit["newText"]}
    document = {"uri": uri, "version": 2}
    session.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert session.problems(uri) == []
    (spec.parent / "treemip.py").write_text("raise SystemExit('a file of the folder was run')")
    command = {"command": "treemip.solve", "arguments": [str(spec)]}
    answer = session.ask("workspace/executeCommand", command)
    assert answer["code"] == 0
    assert "proven optimal" in answer["text"]
    assert session.end() == 0


def test_a_module_that_is_closed_unsaved_counts_as_on_the_disk(session: Client, spec: Path) -> None:
    module = spec.parent / "mine.tree"
    module.write_text("let fewest = misclassified;\n")
    text = (
        'data "data/credit-24.csv" { label class; scale minmax; }\ntopology complete(depth = 1);\n'
    )
    text += "split univariate by oct;\nuse mine;\nminimize fewest;\n"
    session.open(uri_of(spec), text)
    assert session.problems(uri_of(spec)) == []
    session.open(uri_of(module), "let other = misclassified;\n")
    while not session.problems(uri_of(spec)):
        pass
    document = {"textDocument": {"uri": uri_of(module)}}
    session.tell("textDocument/didClose", document)
    while session.problems(uri_of(spec)):
        pass
    assert session.end() == 0


def test_data_are_asked_after_a_pause(session: Client, spec: Path) -> None:
    uri = uri_of(spec)
    session.open(uri, spec.read_text(encoding="utf-8").replace('recall["bad"]', 'recall["bat"]'))
    (problem,) = session.problems(uri)
    assert problem["code"] == "E309"


def test_engines_are_asked_after_a_longer_pause(session: Client, spec: Path) -> None:
    text = spec.read_text(encoding="utf-8")
    text = text.replace("split univariate by oct", "split randomized").split("subject to")[0]
    session.open(uri_of(spec), text)
    found = session.problems(uri_of(spec), quiet=6)
    assert [(p["code"], p["severity"]) for p in found] == [("W609", 3)]


@pytest.mark.parametrize("line", [10**6, 2**31 - 1])
def test_positions_that_are_not_there(session: Client, spec: Path, line: int) -> None:
    uri = uri_of(spec)
    session.open(uri, spec.read_text(encoding="utf-8"))
    for method in REQUESTS:
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": line},
            "range": {"start": {"line": line, "character": 0}, "end": {"line": 0, "character": 1}},
            "context": {"diagnostics": [], "includeDeclaration": True},
            "options": {"tabSize": 2, "insertSpaces": True},
            "newName": "new",
        }
        if method in (lsp.TEXT_DOCUMENT_COMPLETION, lsp.TEXT_DOCUMENT_SIGNATURE_HELP):
            del params["context"]
        answer = session.answer(method, params)
        assert "result" in answer or answer["error"]["code"] == -32803, answer


def test_messages_that_make_no_sense(session: Client, spec: Path) -> None:
    uri = uri_of(spec)
    session.open(uri, bytes(range(256)).decode("latin-1") * 20)
    session.send_bytes(b"{no json")
    session.send_bytes(b"\xff\xff")
    session.tell("$/cancelRequest", {"id": 77})
    session.tell("textDocument/didChange", {"textDocument": {"uri": "file:///not/open.tree",
                 "version": 1}, "contentChanges": [{"text": "x"}]})  # fmt: skip
    assert "error" in session.answer("textDocument/nothing", {})
    assert session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) == []
    for name in ("file:///nowhere/at/all.tree", "untitled:Untitled-1", "https://a.b/c.tree"):
        assert session.ask("textDocument/documentSymbol", {"textDocument": {"uri": name}}) == []
    assert session.end() == 0


@pytest.mark.parametrize(
    ("method", "params", "code", "said"),
    [
        ("textDocument/hover", {"textDocument": {}}, -32602, "params.position"),
        ("textDocument/hover", None, -32602, "textDocument/hover"),
        ("textDocument/rename", [1, 2], -32602, "textDocument/rename"),
        ("textDocument/codeAction", {"range": {"start": 3}}, -32602, "range"),
        ("workspace/executeCommand", {}, -32602, "params.command"),
        ("textDocument/nothing", None, -32601, "textDocument/nothing"),
    ],
)
def test_a_malformed_request_is_refused(
    session: Client, method: str, params: object, code: int, said: str
) -> None:
    error = session.answer(method, params)["error"]
    assert error["code"] == code
    assert said in error["message"]
    uri = uri_of(specs_path() / "iris.tree")
    assert session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})


def test_a_message_that_is_no_json_rpc_is_refused(session: Client) -> None:
    session.send({"id": 900, "method": "shutdown"})
    assert session.wait(900)["error"]["code"] == -32600


def test_after_shutdown_requests_are_refused(session: Client, spec: Path) -> None:
    session.ask("shutdown", None)
    where = {"textDocument": {"uri": uri_of(spec)}}
    assert session.answer("textDocument/documentSymbol", where)["error"]["code"] == -32600
    session.tell("exit", None)
    assert session.process.wait(20) == 0


def test_the_end_of_a_request_ends_its_solve(session: Client, spec: Path) -> None:
    text = spec.read_text(encoding="utf-8").replace("depth = 2", "depth = 4")
    spec.write_text(text + "strategy { time_limit 600; }\n", encoding="utf-8")
    session.open(uri_of(spec), spec.read_text(encoding="utf-8"))
    command = {"command": "treemip.solve", "arguments": [str(spec)]}
    number = session.begin("workspace/executeCommand", command)
    wait_until(lambda: solves(session), "the solve begins")
    session.tell("$/cancelRequest", {"id": number})
    assert session.wait(number)["error"]["code"] == -32800
    wait_until(lambda: not solves(session), "the solve ends")
    assert session.end() == 0


def solves(session: Client) -> bool:
    """Whether a process that the server started is running."""
    children = Path(f"/proc/{session.process.pid}/task/{session.process.pid}/children")
    if not children.exists():
        pytest.skip("the system does not list children")
    return bool(children.read_text().split())


def wait_until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def test_modules_in_a_circle_and_files_that_vanish(session: Client, spec: Path) -> None:
    (spec.parent / "a.tree").write_text("use b;\n")
    (spec.parent / "b.tree").write_text("use a;\n")
    uri, text = uri_of(spec), spec.read_text(encoding="utf-8") + "use a;\n"
    session.open(uri, text)
    assert [p["code"] for p in session.problems(uri)] == ["E207"]
    shutil.rmtree(spec.parent)
    session.change(uri, text.replace("use a;\n", ""))
    assert [p["code"] for p in session.problems(uri)] == ["E301"]
