"""The server of the Model Context Protocol on standard streams: tools, resources and a prompt."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from treemip import __version__
from treemip.core.source.diagnostic import TreemipError
from treemip.study.assistant import offers, tables, tools
from treemip.study.assistant.language import language_page
from treemip.study.assistant.results import (
    Checked,
    Diagnosed,
    Example,
    Explained,
    First,
    Formulation,
    Formulations,
    Predicted,
    Scored,
    Solved,
    Table,
    Verified,
    Words,
)
from treemip.study.assistant.workspace import Workspace
from treemip.study.sandbox.folder import remove_abandoned

INSTRUCTIONS = """\
treemip finds optimal decision trees for an objective and requirements written as a spec, and
checks them against the data. Read treemip://language first, look at the table, write a spec,
check it, solve it. If no tree meets the requirements, say so, and diagnose which exclude each
other, rather than leave one out."""

PROMPT = """\
Find an optimal decision tree with treemip.

Data: {data}
Requirements: {requirements}

1. Read the resource treemip://language.
2. Call `table` on the data for the names of columns and classes.
3. Write a spec: data block, topology, formulation, objective, and a named row for each
   requirement. `example` has shipped specs for many of them.
4. Call `check` until there are no errors; each message says how to fix it.
5. Call `solve`. If it is infeasible, call `diagnose` and report which requirements exclude each
   other.
6. Report the tree, its objective, whether it is proven optimal, and how each requirement is met."""

SpecText = Annotated[str, Field(description="a spec's text, or the name of a .tree file")]
TreeName = Annotated[str, Field(description="tree-1 and so on, from `solve`, or a tree.json file")]
DataName = Annotated[str, Field(description="a CSV or Parquet file of the folder or of `files`")]
SaveName = Annotated[str, Field(description="a .json file of the folder to save the tree to")]
Files = Annotated[
    dict[str, str],
    Field(description='further texts by file name, such as {"data.csv": "a,b\\n1,2\\n"}'),
]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


WITH_PROBLEMS = (Checked, Diagnosed, Explained, Solved)


def serve(folder: Path, seconds: float) -> None:
    """Serve on standard input and output until the input ends."""
    logging.getLogger("mcp").setLevel(logging.ERROR)
    remove_abandoned()
    server(folder, seconds).run("stdio")


def server(folder: Path, seconds: float) -> MCPServer[Any]:
    """folder: what may be read. seconds: the time limit of a solve."""
    made: MCPServer[Any] = MCPServer(
        "treemip",
        title="treemip: optimal decision trees",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="ERROR",
    )
    work = Workspace(folder.resolve(), seconds)
    _add_offers(made, work)
    _add_spec_tools(made, work)
    _add_tree_tools(made, work)
    _add_resources(made)
    return made


def _result(fields: BaseModel, text: str) -> CallToolResult:
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=list(content), structured_content=fields.model_dump(mode="json"))


async def _answer(
    work: Awaitable[tuple[BaseModel, str]], fields: type[BaseModel]
) -> CallToolResult:
    """The result of a tool; a refusal is a result as well, with its remedy."""
    try:
        return _result(*await work)
    except TreemipError as error:
        problems, text = tools.refusal(error)
        told = {"problems": problems} if fields in WITH_PROBLEMS else {}
        return _result(fields(ok=False, **told), text)


def _add_offers(made: MCPServer[Any], work: Workspace) -> None:
    @made.tool(annotations=READS)
    def formulations() -> Annotated[CallToolResult, Formulations]:
        """Formulations of the library: what each is for, its line, its parameters."""
        found = offers.all_formulations()
        text = "\n".join(_told(one) for one in found)
        return _result(Formulations(formulations=found), text)

    @made.tool(annotations=READS)
    def words(search: str = "") -> Annotated[CallToolResult, Words]:
        """Statements, settings, sets, functions, concepts and terms; or those that fit a search."""
        found = offers.words(search)
        text = offers.told(found) or f"no word fits '{search}'; without a search all are listed"
        return _result(Words(words=found), text)

    @made.tool(annotations=READS)
    async def example(wanted: str) -> Annotated[CallToolResult, Example]:
        """A shipped spec: by its name, or the one that fits the words of a requirement best."""
        return await _answer(_example(wanted), Example)

    @made.tool(annotations=READS)
    def table(data: DataName, files: Files = {}) -> Annotated[CallToolResult, Table]:  # noqa: B006
        """Columns of a table: numbers or categories, values, missing cells."""
        found = tables.table(work, data, files)
        return _result(found, tables.told(found))

    @made.tool(annotations=READS)
    async def init(
        data: DataName,
        label: str = "",
        formulation: str = "",
        depth: int = 2,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, First]:
        """A first spec that fits a table, with comments that say why it is so."""
        return await _answer(tools.init(work, data, label, formulation, depth, files), First)


async def _example(wanted: str) -> tuple[BaseModel, str]:
    found = offers.example(wanted)
    parts = [f"# {found.name}.tree", found.spec]
    parts += [f"# {name}\n{text}" for name, text in found.files.items()]
    parts += [f"near: {name}: {about}" for name, about in found.near.items()]
    return found, "\n\n".join(parts)


def _told(one: Formulation) -> str:
    return "\n".join(
        [
            f"{one.line}  leaves answer {one.answers}; {one.purpose}",
            *(f"    {p.name} = {p.default}: {p.means}" for p in one.parameters),
        ]
    )


def _add_spec_tools(made: MCPServer[Any], work: Workspace) -> None:
    @made.tool(annotations=READS)
    async def check(
        spec: SpecText,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Checked]:
        """Errors and warnings of a spec with its data: place, remedy, and the fixed text if any."""
        return await _answer(tools.check(work, spec, files), Checked)

    @made.tool(annotations=READS)
    async def explain(
        spec: SpecText,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Explained]:
        """What a spec states and becomes: objective, variables, rows, as text."""
        return await _answer(tools.explain(work, spec, files), Explained)

    @made.tool(annotations=WRITES)
    async def solve(
        spec: SpecText,
        ctx: Context[Any, Any],
        files: Files = {},  # noqa: B006
        seconds: Annotated[float, Field(description="time limit, at most the server's")] = 0,
        save: Annotated[
            str, Field(description="a .json name to save the tree as, in the folder")
        ] = "",
    ) -> Annotated[CallToolResult, Solved]:
        """The optimal tree of a spec, verified on the data; or why there is none."""
        return await _answer(
            tools.solve(work, spec, files, seconds, save, ctx.report_progress), Solved
        )

    @made.tool(annotations=READS)
    async def diagnose(
        spec: SpecText,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Diagnosed]:
        """Which requirements of a spec without solution exclude each other, and what would do."""
        return await _answer(tools.diagnose(work, spec, files), Diagnosed)


def _add_tree_tools(made: MCPServer[Any], work: Workspace) -> None:
    @made.tool(annotations=READS)
    async def verify(
        tree: TreeName,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Verified]:
        """Check a tree again: its objective and its spec's rows, recomputed from the data."""
        return await _answer(tools.verify(work, tree, files), Verified)

    @made.tool(annotations=READS)
    async def score(
        tree: TreeName,
        data: str = "",
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Scored]:
        """Accuracy, recall and precision of a tree: on its own data, or on other labelled rows."""
        return await _answer(tools.score(work, tree, data, files), Scored)

    @made.tool(annotations=READS)
    async def predict(
        tree: TreeName,
        data: DataName,
        files: Files = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Predicted]:
        """What a tree answers for each row of a table, as CSV."""
        return await _answer(tools.predict(work, tree, data, files), Predicted)


def _or_why(make: Callable[[], str]) -> str:
    """The text of a resource; for a name that does not exist, the message with those that do."""
    try:
        return make()
    except TreemipError as error:
        return tools.refusal(error)[1]


def _add_resources(made: MCPServer[Any]) -> None:
    @made.resource("treemip://language", mime_type="text/markdown")
    def language() -> str:
        """The language on one page: read this before writing a spec."""
        return language_page()

    @made.resource("treemip://formulations/{name}", mime_type="text/plain")
    def formulation(name: str) -> str:
        """A formulation: its purpose, line and parameters."""
        return _or_why(lambda: _told(offers.formulation(name)))

    @made.resource("treemip://errors/{code}", mime_type="text/markdown")
    def error(code: str) -> str:
        """What an error code means."""
        return _or_why(lambda: offers.error(code))

    @made.resource("treemip://examples/{+name}", mime_type="text/plain")
    def example_spec(name: str) -> str:
        """A shipped spec."""
        return _or_why(lambda: offers.example(name).spec)

    @made.prompt(title="A tree from requirements")
    def tree_from_requirements(data: str, requirements: str) -> str:
        """From a table and requirements in words to a verified tree."""
        return PROMPT.format(data=data, requirements=requirements)
