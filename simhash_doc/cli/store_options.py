"""Options that the commands of the store share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simhash_doc.errors import SpecError
from simhash_doc.value import Fingerprint

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
    help="How long to wait for other users of the database.",
)


def collection_option(default: str | None) -> Callable[[Command], Command]:
    shown = "all of the scheme" if default is None else default
    return click.option("--collection", default=default, metavar="NAME", help=f"Collection.  [default: {shown}]")


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn what goes wrong with a store into a message and status 1, and wrong parameters into status 2."""
    from simhash_doc.store.errors import StoreError, StoreParameterError

    try:
        yield
    except StoreParameterError as error:
        raise click.UsageError(str(error)) from error
    except StoreError as error:
        raise click.ClickException(str(error)) from error


def opened(database: str, timeout: float, *, create: bool = False) -> FingerprintStore:
    """Open a store; it is made if need be where documents are added."""
    from simhash_doc.store import FingerprintStore

    return FingerprintStore(database, create=create, timeout=timeout)


def parsed_filter(conditions: tuple[str, ...]) -> dict[str, Any]:
    """Return the metadata that KEY=VALUE conditions ask for; a value that is no JSON is a string.

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
            raise click.UsageError(f"--where {condition!r}: VALUE is an array or object; compare a string or number")
    return found


def parsed_query(text: str) -> Fingerprint:
    """Return the fingerprint that an argument holds.

    Raises:
        click.UsageError: it holds none.
    """
    try:
        return Fingerprint.parse(text)
    except SpecError as error:
        raise click.UsageError(str(error)) from error
