"""Messages about commands and options that do not exist, with the names that may have been meant."""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from typing import Any

import click
from click.core import ParameterSource

_COMMANDS = {
    "cmp": ("compare",),
    "diff": ("compare",),
    "distance": ("compare",),
    "similarity": ("compare",),
    "hash": ("fingerprint",),
    "sign": ("fingerprint",),
    "search": ("find-all", "index query", "store find"),
    "query": ("index query", "store find"),
    "find": ("find-all", "find-clusters", "index query", "store find"),
    "pairs": ("find-all",),
    "duplicates": ("dedupe",),
    "uniq": ("dedupe",),
    "text": ("extract",),
    "csv": ("table",),
    "warc": ("archive",),
    "db": ("store",),
    "sqlite": ("store",),
    "help": ("--help",),
    "version": ("--version",),
    "create": ("build",),
    "delete": ("remove",),
    "info": ("stats",),
    "list": ("export",),
    "ls": ("export",),
    "rm": ("remove",),
    "stats": ("info",),
    "update": ("add",),
}
"""Commands of other programs -> ours, also with the command of a group."""

_OPTIONS = {
    "--distance": ("d", "hamming", "radius", "threshold", "tolerance"),
    "--min-similarity": ("percent", "similarity", "threshold"),
    "--jobs": ("cores", "cpus", "parallel", "processes", "threads", "workers"),
    "--scheme": ("algorithm", "b", "bits", "hash-size", "size", "width"),
    "--json": ("F", "f", "format", "jsonlines", "ndjson", "output-format"),
    "--csv": ("F", "f", "format", "output-format", "tsv"),
    "--quiet": ("s", "silent"),
    "--include": ("ext", "extension", "g", "glob", "name", "pattern"),
    "--exclude": ("ignore", "skip"),
    "--null": ("print0", "z", "zero"),
    "--files-from": ("T", "file-list", "files0-from", "from-file"),
    "--remove-list": ("delete", "dry-run", "remove", "rm"),
    "--nearest": ("k", "limit", "n", "top", "top-k"),
    "--db": ("D", "d", "database", "index", "url"),
    "--force": ("f", "overwrite"),
    "--trace": ("debug", "v", "verbose"),
    "--output": ("O", "w", "write"),
    "--column": ("c", "col", "field", "text-column"),
}
"""Our options -> what other programs call them, without the dashes."""

_INDEX = ("D", "database", "db", "i", "index", "path")
_RECURSIVE = ("R", "r", "recurse", "recursive")
_LEAST_RATIO = 0.75  # of letters in common; below, a suggestion misleads


def usage_message(error: click.ClickException) -> str:
    """Return the message of an error; for an unknown command or option, with the names that may have been meant."""
    unknown: Any = error
    if isinstance(error, click.MissingParameter):
        return " ".join(error.format_message().split())  # click breaks a list of choices into lines
    if isinstance(error, click.BadParameter) and error.param and error.ctx:
        source = error.ctx.get_parameter_source(error.param.name or "")
        if source is ParameterSource.COMMANDLINE:  # click names the environment variable also here
            error.param_hint = click.Parameter.get_error_hint(error.param, error.ctx)
    command: str | None = getattr(error, "command_name", None)  # of an error of click 8.4
    name: str | None = command or getattr(error, "option_name", None)
    if name is None or not isinstance(error, click.UsageError) or error.ctx is None:
        return error.format_message()
    known, key = _known(error.ctx), name.lstrip("-")
    if not command and key in _RECURSIVE and "--include" in known:
        return f"{error.message} The command always reads what is below a directory."
    ours = _COMMANDS.get(key, ()) if command else [one for one, theirs in _OPTIONS.items() if key in theirs]
    if not command and key in _INDEX and any(one.metavar == "INDEX" for one in error.ctx.command.params):
        return f"{error.message} INDEX is the first argument, without an option."
    close = [one for one in unknown.possibilities or () if _is_close(key, one.lstrip("-"))]
    meant = dict.fromkeys([*(one for one in ours if one.split()[0] in known), *close])
    if meant:
        return f"{error.message} Did you mean {' or '.join(map(repr, meant))}?"
    if command and os.path.exists(command):
        place = f"--db {command}" if error.ctx.command.name == "store" else command
        return f"{error.message} The command comes first: {error.ctx.command_path} COMMAND {place}"
    return error.message


def _known(context: click.Context) -> set[str]:
    """Return the options and the commands that exist."""
    command = context.command
    options = {option for parameter in command.get_params(context) for option in parameter.opts}
    return options | set(command.commands if isinstance(command, click.Group) else ())


def _is_close(name: str, ours: str) -> bool:
    return name in ours or ours in name or SequenceMatcher(None, name, ours).ratio() >= _LEAST_RATIO
