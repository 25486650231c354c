"""`simhash-doc store`: the group of the commands of a database of fingerprints."""

from __future__ import annotations

import click

from simhash_doc.command_line.groups import LazyGroup

_COMMANDS = {
    "add": "simhash_doc.cli.store_content:store_add_command",
    "dedupe": "simhash_doc.cli.store_dedupe:store_dedupe_command",
    "export": "simhash_doc.cli.store_content:store_export_command",
    "find": "simhash_doc.cli.store_find:store_find_command",
    "remove": "simhash_doc.cli.store_content:store_remove_command",
    "stats": "simhash_doc.cli.store_content:store_stats_command",
    "verify": "simhash_doc.cli.store_content:store_verify_command",
}
# The first sentences of the commands, so that --help loads none of them.
_SUMMARIES = {
    "add": "Add documents to a collection.",
    "dedupe": "Update a collection, and report its duplicates.",
    "export": "Print documents of a store, as JSON lines.",
    "find": "Print the documents near fingerprints.",
    "remove": "Remove documents by their ids.",
    "stats": "Print collection sizes, and what a query costs.",
    "verify": "Check all tables, indexes and rows.",
}


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    summaries=_SUMMARIES,
    epilog="""\b
Examples:
  simhash-doc store dedupe --db near.sqlite articles/
  simhash-doc store add --db near.sqlite fingerprints.jsonl
  simhash-doc store find --db near.sqlite larqgiqsckcca
  simhash-doc store stats --db postgresql://reader@db.example.org/near
""",
)
def store() -> None:
    """Keep fingerprints in a database, and search in it.

    DATABASE is the path of a SQLite file, or the URL of a PostgreSQL database. To set it for
    all commands, use the environment variable SIMHASH_DOC_DB.
    """
