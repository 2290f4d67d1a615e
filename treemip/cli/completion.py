"""completion: scripts with which bash, zsh and fish complete command lines of treemip.

Everything in them comes from the table in `options.py`, as it is when the script is written:
nothing of treemip runs when a key is pressed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treemip.cli.console import DONE
from treemip.cli.option_lines import Argument, Command, Option
from treemip.cli.options import COMMANDS
from treemip.core.source.diagnostic import refused


def completion(shell: str) -> int:
    """Print a completion script for a shell.

    It completes commands, options and their values, formulations, solvers and files. bash: put
    eval "$(treemip completion bash)" into ~/.bashrc. zsh: write it to a file _treemip in a folder
    of $fpath. fish: write it to ~/.config/fish/completions/treemip.fish.
    """
    if shell not in SCRIPTS:
        raise refused(f"there is no completion for '{shell}'", f"choose {', '.join(SCRIPTS)}")
    print(SCRIPTS[shell]())
    return DONE


def files_and_words(one: Argument | Option) -> tuple[list[str], list[str]]:
    """Patterns of the files that an argument or option takes, and its words."""
    words = [*(one.choices if isinstance(one, Option) else []), *one.complete.split()]
    files = [word for word in words if word.startswith("*")]
    found: list[str] = []
    for word in words:
        if word not in files:
            found += LISTS[word]() if word in LISTS else [word]
    return files, found


def _formulations() -> list[str]:
    from treemip.core.resolve.modules import formulation_names

    return formulation_names()


def _examples() -> list[str]:
    from treemip.cli.examples import example_paths

    return list(example_paths())


def _solvers() -> list[str]:
    from treemip.core.registry import solvers

    return list(solvers())


def _profiles() -> list[str]:
    from treemip.core.files.profiles import profiles

    return list(profiles())


LISTS: dict[str, Callable[[], list[str]]] = {
    "{formulations}": _formulations,
    "{examples}": _examples,
    "{solvers}": _solvers,
    "{profiles}": _profiles,
    "{commands}": lambda: list(COMMANDS),
}
"""What stands for a list in `complete`."""


# ------------------------------------------------------------------------------------------ bash

BASH = """\
# bash completion for treemip, written by: treemip completion bash
_treemip() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local words="" files="" valued="" at=0 k pattern
  COMPREPLY=()
  [[ $cur == = ]] && cur=""
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "@COMMANDS@ --help --version" -- "$cur"))
    return
  fi
  case $command in
@VALUED@
  esac
  for ((k = 2; k < COMP_CWORD; k++)); do
    case ${COMP_WORDS[k]} in
      =) ((k++)) ;;
      -*) [[ " $valued " == *" ${COMP_WORDS[k]} "* && ${COMP_WORDS[k+1]} != = ]] && ((k++)) ;;
      *) ((at++)) ;;
    esac
  done
  case "$command $prev" in
@VALUES@
    *)
      if [[ $cur == -* ]]; then
        case $command in
@OPTIONS@
        esac
      else
        case "$command $at" in
@ARGUMENTS@
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  set -f
  for pattern in $files; do
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!$pattern" -- "$cur")
  done
  set +f
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
  fi
}
complete -F _treemip treemip"""


def _bash() -> str:
    valued, values, options, arguments = [], [], [], []
    for name, command in COMMANDS.items():
        takes = [n for o in command.all_options if o.value for n in o.names.split()]
        if takes:
            valued.append(f'    {name}) valued="{" ".join(takes)}" ;;')
        for option in command.all_options:
            if option.value:
                places = "|".join(f'"{name} {each}"' for each in option.names.split())
                values.append(f"    {places}) {_assigned(option)} ;;")
        names = " ".join(o.name for o in command.all_options)
        options.append(f'          {name}) words="{f"{names} --help".lstrip()}" ;;')
        for at, one in enumerate(command.arguments):
            place = f'"{name} "*' if one.several else f'"{name} {at}"'
            arguments.append(f"          {place}) {_assigned(one)} ;;")
    script = BASH.replace("@COMMANDS@", " ".join(COMMANDS))
    for mark, lines in (
        ("@VALUED@", valued),
        ("@VALUES@", values),
        ("@OPTIONS@", options),
        ("@ARGUMENTS@", arguments),
    ):
        script = script.replace(mark, "\n".join(lines))
    return script


def _assigned(one: Argument | Option) -> str:
    files, words = files_and_words(one)
    return f'words="{" ".join(words)}" files="{" ".join(files)}"'


# ------------------------------------------------------------------------------------------- zsh


def _zsh() -> str:
    lines = ["#compdef treemip", "# zsh completion for treemip, by: treemip completion zsh", ""]
    lines += [
        "_treemip_either() {",
        '  _alternative "words:word:($1)" "files:file:_files -g \\"$2\\""',
        "}",
        "",
    ]
    lines += ["_treemip() {", "  local -a commands", "  commands=("]
    lines += [f"    {_single(f'{name}:{each.about}')}" for name, each in COMMANDS.items()]
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands"]
    lines += ["    return", "  fi", "  shift words", "  (( CURRENT-- ))", "  case $words[1] in"]
    for name, command in COMMANDS.items():
        specs = " \\\n        ".join(_zsh_specs(command))
        lines += [f"    {name})", f"      _arguments -S \\\n        {specs} ;;"]
    lines += ["  esac", "}", "", 'if [[ $funcstack[1] == _treemip ]]; then _treemip "$@"']
    return "\n".join([*lines, "else compdef _treemip treemip; fi"])


def _zsh_specs(command: Command) -> list[str]:
    specs = []
    for option in command.all_options:
        about = _bracketed(_first_sentence(option.help))
        action = f":{option.value.replace(':', ' ')}:{_zsh_action(option)}" if option.value else ""
        others = f"({option.names})" if " " in option.names and not option.several else ""
        for each in option.names.split():
            long = "=" if option.value and each.startswith("--") else ""
            star = "*" if option.several else ""
            specs.append(_single(f"{others}{star}{each}{long}[{about}]{action}"))
    specs.append(_single("(-h --help)--help[Show the help.]"))
    for at, one in enumerate(command.arguments, 1):
        place = "*" if one.several else str(at) if one.required else f"{at}:"
        specs.append(_single(f"{place}:{one.key}:{_zsh_action(one)}"))
    return specs


def _zsh_action(one: Argument | Option) -> str:
    files, words = files_and_words(one)
    if words and files:  # a blank before a function: it gets these arguments and no others
        return f' _treemip_either "{" ".join(words)}" "{" ".join(files)}"'
    if files:
        return f'_files -g "{" ".join(files)}"'
    return f"({' '.join(words)})" if words else " "


# ------------------------------------------------------------------------------------------ fish


def _fish() -> str:
    lines = [
        "# fish completion for treemip, written by: treemip completion fish",
        "complete -c treemip -f",
    ]
    for name, each in COMMANDS.items():
        about = _single(each.about)
        lines.append(f"complete -c treemip -n __fish_use_subcommand -a {name} -d {about}")
    for name, command in COMMANDS.items():
        begin = f"complete -c treemip -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{begin} {_fish_option(option)}" for option in command.all_options]
        words = [w for one in command.arguments for w in files_and_words(one)[1]]
        files = list(dict.fromkeys(f for one in command.arguments for f in files_and_words(one)[0]))
        if words:
            lines.append(f"{begin} -a {_single(' '.join(words))}")
        lines += [f"{begin} {_fish_files(files)}"] if files else []
    return "\n".join(lines)


def _fish_option(option: Option) -> str:
    parts = []
    for each in option.names.split():
        parts.append(f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}")
    if option.value:
        files, words = files_and_words(option)
        parts.append("-r" if files else "-x")
        parts += [f"-a {_single(' '.join(words))}"] if words else []
        parts += [_fish_files(files)] if files else []
    return " ".join([*parts, f"-d {_single(_first_sentence(option.help))}"])


def _fish_files(files: list[str]) -> str:
    """Any file, or those with a suffix first."""
    suffixes = [each.removeprefix("*") for each in files if each != "*"]
    if not suffixes:
        return "-F"
    return "-k -a " + _single(" ".join(f"(__fish_complete_suffix {one})" for one in suffixes))


# ------------------------------------------------------------------------------------------ texts


def _first_sentence(text: str) -> str:
    """What an option is for, without the list of its values, which the shell shows."""
    return re.split(r"[:;(]|\. ", text)[0].rstrip(" .") + "."


def _single(text: str) -> str:
    """Text in single quotes of a shell. fish and sh agree on such a text but for backslashes."""
    return "'" + text.replace("'", "'\\''") + "'"


def _bracketed(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


SCRIPTS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
