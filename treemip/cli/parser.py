"""Command lines and help by argparse, from the table in `options.py`."""

from __future__ import annotations

import shutil
from argparse import SUPPRESS, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from inspect import getdoc
from itertools import groupby
from textwrap import fill, indent
from typing import Any

from treemip.cli.console import EXIT_CODES
from treemip.cli.option_lines import Argument, Command, Option
from treemip.cli.options import COMMANDS
from treemip.core.source.diagnostic import TreemipError, refused
from treemip.core.source.suggest import did_you_mean

ABOUT = "Optimal decision trees: from the paper's algebra to any solver, and back."
HELP = "Show this message and exit."


def values_of(name: str, words: Sequence[str]) -> dict[str, Any] | None:
    """The values on a command's line by parameter of its function; None where help is asked for.

    name: of the command; words: those that follow it. Raises E902.
    """
    command = COMMANDS[name]
    see = partial(usage_error, where=f"treemip {name}")
    end = words.index("--") if "--" in words else len(words)
    try:
        parsed, left = parser_of(name).parse_known_args(_joined(command, words[:end]))
    except ArgumentError as error:
        raise see(_misused(command, error)) from None
    _require_options(name, left)
    texts = vars(parsed)
    if texts.pop("help", False):
        return None
    texts |= _arguments(name, [*left, *words[end + 1 :]])
    values = {}
    known: dict[str, Argument | Option] = {one.key: one for one in command.arguments}
    known |= {one.key: one for one in command.all_options}
    for key, text in texts.items():
        values[key] = _converted(known[key], _single(known[key], text, see), see)
    for one in known.values():
        if one.required and one.key not in values:
            sort = "argument" if isinstance(one, Argument) else "option"
            raise see(f"missing {sort} {one.title}")
    if command.given:
        values["given"] = [one.name for key in values if isinstance(one := known[key], Option)]
    return values


def function_of(name: str) -> Callable[..., int]:
    """The function of a command; its module is imported."""
    module, function = COMMANDS[name].function.split(".")
    return getattr(import_module(f"treemip.cli.{module}"), function)


def usage_error(message: str, where: str = "treemip", near: str = "") -> TreemipError:
    """E902 for a command line. where: the command whose help tells more; near: a suggestion."""
    return refused(message, f"{near} see: {where} --help".lstrip())


# ------------------------------------------------------------------------ the parser


def parser_of(name: str, described: bool = False) -> ArgumentParser:
    """argparse's parser of a command; all values are texts, and omitted options are absent.

    described: with the help texts and the arguments. Without them it reads options, since argparse
    takes no argument behind an option that follows another argument.
    """
    command = COMMANDS[name]
    parser = ArgumentParser(
        prog=f"treemip {name}",
        usage=_usage(name),
        description=_description(name) if described else None,
        epilog=_epilog(name),
        formatter_class=partial(RawDescriptionHelpFormatter, max_help_position=28),
        argument_default=SUPPRESS,
        allow_abbrev=False,
        exit_on_error=False,
        add_help=False,
    )
    if described:
        about = parser.add_argument_group("arguments")
        for argument in command.arguments:
            nargs = "*" if argument.several else "?"
            metavar = argument.key.upper()
            about.add_argument(argument.key, metavar=metavar, nargs=nargs, help=argument.help)
    groups = {title: parser.add_argument_group(title) for title in command.options}
    for title, options in command.options.items():
        for option in options:
            _add(groups[title], option, described)
    last = groups.get("options") or parser.add_argument_group("help")
    last.add_argument("-h", "--help", action="store_true", help=HELP)
    return parser


def _add(group: Any, option: Option, described: bool) -> None:
    names, key = option.names.split(), option.key
    text = _help(option).replace("%", "%%") if described else ""
    if not option.value:
        group.add_argument(*names, dest=key, action="store_true", help=text)
        return
    group.add_argument(*names, dest=key, action="append", metavar=option.value, help=text)


def _joined(command: Command, words: Sequence[str]) -> list[str]:
    """A value that begins with a dash, such as -1e-9, in one word with its option: an option takes
    the next word whatever it is, and argparse would take that for an option."""
    valued = {n for option in command.all_options if option.value for n in option.names.split()}
    joined: list[str] = []
    left = iter(words)
    for word in left:
        value = next(left, None) if word in valued else None
        if value is None:
            joined.append(word)
        elif value.startswith("-") and value != "-":
            joined.append(f"{word}={value}" if word.startswith("--") else word + value)
        else:
            joined += [word, value]
    return joined


# ---------------------------------------------------------------------- what is wrong

IN_THE_SPEC = {
    "--label": 'the spec names the label: data "file.csv" { label class; }; for a first spec: '
    "treemip init file.csv --label class",
    "--depth": "the spec gives the depth; set it with -p depth=3",
    "--formulation": "the spec names the formulation: split oblique by soct;",
    "--train": "the spec sets the training part: train 0.75 seed 1;  in the data block",
    "--seed": "set the seed of the training part with -p seed=1; the solver's stands in "
    "strategy { seed 1; }",
}
"""Options that users expect and no command has, with the statement that has their place."""


def _instead(command: str, option: str) -> str:
    """What to write in place of an unknown option of a command, or an empty string."""
    if command == "cv" and option == "--stratified":
        return "leave it out: folds are always stratified by class"
    return IN_THE_SPEC.get(option, "")


def _require_options(name: str, left: list[str]) -> None:
    """E902 for an option that a command does not have. left: words that are none of its options."""
    word = next((word for word in left if word.startswith("-") and word != "-"), "")
    if not word:
        return
    option = word.partition("=")[0] if word.startswith("--") else word[:2]
    message, remedy = f"no such option: {option}", _instead(name, option)
    if remedy:
        raise refused(message, remedy)
    known = [one.name for one in COMMANDS[name].all_options]
    raise usage_error(message, f"treemip {name}", did_you_mean(option, known))


def _arguments(name: str, words: list[str]) -> dict[str, Any]:
    """The words that belong to no option, by argument. Raises E902 where there are too many."""
    texts: dict[str, Any] = {}
    for argument in COMMANDS[name].arguments:
        if words and argument.several:
            texts[argument.key], words = words, []
        elif words:
            texts[argument.key], *words = words
    if words:
        message = f"got unexpected extra argument(s) ({' '.join(words)})"
        raise usage_error(message, f"treemip {name}")
    return texts


def _misused(command: Command, error: ArgumentError) -> str:
    """An option without its value, or a flag with one."""
    name = str(error.argument_name).split("/")[-1]
    option = next((one for one in command.all_options if one.name == name), None)
    if option is not None and option.value:
        return f"option {option.title} requires an argument"
    return f"option '{name}' does not take a value"


def _single(one: Argument | Option, text: Any, see: Callable[[str], TreemipError]) -> Any:
    """The one text of an option that may not be repeated. Raises E902 where there are several."""
    if one.several or not isinstance(text, list):
        return text
    first, *others = dict.fromkeys(text)
    if others:
        raise see(f"option {one.title} is given twice: '{first}' and '{others[0]}'")
    return first


def _converted(one: Argument | Option, text: Any, see: Callable[..., TreemipError]) -> Any:
    """The value of a text, or of each text of a list. Raises E902."""
    if isinstance(text, list):
        return [_converted(one, each, see) for each in text]
    if isinstance(text, bool):
        return text
    if isinstance(one, Option) and one.choices and text not in one.choices:
        choices = ", ".join(f"'{choice}'" for choice in one.choices)
        message = f"invalid value for {one.title}: '{text}' is not one of {choices}"
        raise see(message, near=did_you_mean(text, one.choices))
    try:
        return one.kind(text)
    except ValueError:
        kind = getattr(one.kind, "__name__", "value")
        raise see(f"invalid value for {one.title}: '{text}' is not a valid {kind}") from None


# ------------------------------------------------------------------------------- help


def overview() -> str:
    """The help of the whole program: each command with a line."""
    parts, width = [f"usage: treemip COMMAND ...\n\n{ABOUT}"], max(map(len, COMMANDS))
    for title, names in groupby(COMMANDS, lambda name: COMMANDS[name].group):
        parts.append(
            "\n".join([f"{title}:", *(f"  {n:<{width}} {COMMANDS[n].about}" for n in names)])
        )
    parts.append(f"options:\n  --version   Print the version.\n  -h, --help  {HELP}")
    return "\n\n".join([*parts, EXIT_CODES])


def help_of(name: str) -> str:
    """The help of a command."""
    return parser_of(name, described=True).format_help().rstrip("\n")


def _usage(name: str) -> str:
    parts = ["treemip", name, "[OPTIONS]"]
    for one in COMMANDS[name].arguments:
        word = one.key.upper() + ("..." if one.several else "")
        parts.append(word if one.required else f"[{word}]")
    return " ".join(parts)


def _description(name: str) -> str:
    """The docstring, its paragraphs as wide as the terminal."""
    width = min(shutil.get_terminal_size().columns - 2, 98)
    paragraphs = (getdoc(function_of(name)) or "").split("\n\n")
    return "\n\n".join(fill(" ".join(each.split()), width) for each in paragraphs)


def _epilog(name: str) -> str:
    return f"example:\n{indent(COMMANDS[name].example, '  ')}\n\n{EXIT_CODES}"


def _help(option: Option) -> str:
    """The help text of an option, with its default."""
    text = filled(option.help)
    return f"{text} Default: {option.default}." if option.default else text


def filled(text: str) -> str:
    """A help text with the names of the solvers in it."""
    if "{" not in text:
        return text
    from treemip.core.registry import in_memory, installed

    return text.format(in_memory=", ".join(in_memory()), installed=", ".join(installed()))
