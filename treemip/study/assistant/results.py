"""The results of tools as fields, which assistants get beside the text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class QuickFix(BaseModel):
    """A remedy: the whole text with the fix applied."""

    title: str
    text: str


class Problem(BaseModel):
    """An error or warning, in the words of the command line. Lines and columns begin with 1."""

    code: str
    severity: str
    message: str
    help: str = ""
    text: str = Field("", description="the message with the place and the remedy")
    file: str = ""
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    fix: QuickFix | None = None


class Checked(BaseModel):
    """ok: no errors. found: what the spec is, with its data."""

    ok: bool
    found: str = ""
    problems: list[Problem] = []


class Solved(BaseModel):
    """The outcome of a solve. tree: its name for verify, score and predict; empty without one."""

    ok: bool = Field(description="a tree was found and is verified")
    status: str = Field("", description="optimal, infeasible, time_limit, ...; empty after errors")
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None
    sense: str = ""
    proven: bool = False
    verdict: str = Field("", description="verified, verified in part, or not verified")
    tree: str = ""
    saved: str = ""
    seconds: float = 0.0
    scores: dict[str, Any] = {}
    problems: list[Problem] = []


class Diagnosed(BaseModel):
    """requirements: those that exclude each other, if the spec has no solution."""

    ok: bool
    feasible: bool | None = None
    requirements: list[Any] = []
    problems: list[Problem] = []


class Verified(BaseModel):
    ok: bool = Field(description="the tree does what its spec says on these data")
    verdict: str = ""
    objective: float | None = None
    problems: list[str] = []


class Scored(BaseModel):
    ok: bool
    scores: dict[str, Any] = {}


class Predicted(BaseModel):
    """answers: CSV, with a header and a line for each row."""

    ok: bool
    rows: int = 0
    answers: str = ""


class Explained(BaseModel):
    ok: bool
    text: str
    problems: list[Problem] = []


class Column(BaseModel):
    """kind: numbers, categories, or neither. values: how often each distinct value occurs, if there
    are few."""

    name: str
    kind: str
    missing: int = 0
    least: float | None = None
    greatest: float | None = None
    distinct: int = 0
    values: dict[str, int] = {}


class Table(BaseModel):
    ok: bool
    rows: int = 0
    width: int = 0
    columns: list[Column] = []
    problem: str = ""


class First(BaseModel):
    """A first spec for a table. notes: what was chosen, and why."""

    ok: bool
    spec: str = ""
    notes: str = ""


class Word(BaseModel):
    name: str
    kind: str
    form: str
    means: str


class Words(BaseModel):
    words: list[Word]


class Parameter(BaseModel):
    name: str
    default: str
    means: str


class Formulation(BaseModel):
    name: str
    purpose: str
    line: str
    splits: str
    answers: str
    parameters: list[Parameter]


class Formulations(BaseModel):
    formulations: list[Formulation]


class Example(BaseModel):
    """spec: its text. near: other examples that match, with what each is about."""

    ok: bool
    name: str = ""
    about: str = ""
    spec: str = ""
    files: dict[str, str] = Field({}, description="the first lines of what it reads")
    near: dict[str, str] = {}
