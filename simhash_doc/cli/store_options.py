"""Options that the commands of the store share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simhash_doc.ingest.walk import STANDARD_INPUT

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

Command = TypeVar("Command", bound=Callable[..., Any])

database_option = click.option(
    "--db",
    "database",
    required=True,
    metavar="DATABASE",
    envvar="SIMHASH_DOC_DB",
    show_envvar=True,
    help="Path of a SQLite file, or URL such as postgresql://user@host/name.",
)
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Maximum time to wait for locks of other users of the database.",
)


def collection_option(default: str | None, shown: str | None = None) -> Callable[[Command], Command]:
    """Return the option --collection; `shown` describes the default in the help if it is None."""
    return click.option(
        "--collection", default=default, metavar="NAME", help=f"Name of the collection.  [default: {shown or default}]"
    )


@contextmanager
def store_errors() -> Iterator[None]:
    """Report the errors of a store with status 1, and invalid parameters with status 2."""
    from simhash_doc.lookup.errors import LookupParameterError
    from simhash_doc.store.errors import StoreError, StoreParameterError

    try:
        yield
    except (StoreParameterError, LookupParameterError) as error:
        raise click.UsageError(str(error)) from error
    except StoreError as error:
        raise click.ClickException(str(error)) from error


def opened(database: str, timeout: float, *, create: bool = False) -> FingerprintStore:
    """Open a store; it is created if `create` is set and it does not exist."""
    from simhash_doc.store import FingerprintStore

    if database == STANDARD_INPUT:
        raise click.UsageError("DATABASE is -, but a database is a file or an URL: name it")
    return FingerprintStore(database, create=create, timeout=timeout)


def parsed_filter(conditions: tuple[str, ...]) -> dict[str, Any]:
    """Parse KEY=VALUE conditions on metadata; a value that is not JSON is a string.

    Raises:
        click.UsageError: a condition has no `=`, or its value is an array or an object.
    """
    found: dict[str, Any] = {}
    for condition in conditions:
        key, equals, text = condition.partition("=")
        if not equals:
            raise click.UsageError(f"--where {condition!r} is not KEY=VALUE")
        try:
            found[key] = json.loads(text)
        except (ValueError, RecursionError):
            found[key] = text
        if isinstance(found[key], list | dict):
            raise click.UsageError(f"--where {condition!r}: VALUE is an array or object; use a string or number")
    return found
