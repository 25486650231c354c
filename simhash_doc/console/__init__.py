"""What commands show and where they write: messages, progress, outputs, streams and signals. Knows no command line.

Both command lines stand on this room. It raises `CommandError`, which a command line prints.
"""

from simhash_doc.errors import SimhashDocError


class CommandError(SimhashDocError):
    """A command cannot go on. The message is complete: what was found, where, and what to do."""

    code = "command"


class CommandUsageError(CommandError):
    """The arguments of a command do not fit each other, or its inputs."""

    code = "command-usage"
    is_usage = True
