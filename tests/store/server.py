"""A PostgreSQL server of the tests' own, on a throw-away cluster, and connections beside those of a store."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

_OPTIONS = ("listen_addresses=", "max_connections=50", "max_wal_size=2GB")


class NoServerError(Exception):
    """PostgreSQL is not installed, or cannot be started."""


def _programs() -> Path:
    """Return the folder of the newest server of Debian, or of the one on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        raise NoServerError("no PostgreSQL server is installed (initdb is not found)")
    return (found[-1] if found else Path(on_path or "").resolve()).parent


@contextmanager
def server(*options: str) -> Iterator[str]:
    """Start a server that listens on a socket in a folder of its own, and yield the URL of an empty database.

    It does not run as root, which PostgreSQL rejects.

    Raises:
        NoServerError: PostgreSQL is not installed, or does not start.
    """
    folder = _programs()
    # Not the temporary folder of a test, whose path may be too long for a socket.
    place = Path(tempfile.mkdtemp(prefix="simhash-doc-pg-"))
    user = None
    if os.geteuid() == 0:
        user = "postgres" if "postgres" in {one.pw_name for one in pwd.getpwall()} else "nobody"
        shutil.chown(place, user)

    def run(*command: str) -> None:
        done = subprocess.run(
            [str(folder / command[0]), *command[1:]],
            user=user,
            cwd=place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise NoServerError(f"{command[0]} failed: {done.stdout.strip()}")

    data, log = str(place / "data"), str(place / "log")
    settings = " ".join(f"-c {option}" for option in (*_OPTIONS, f"unix_socket_directories={place}", *options))
    try:
        run("initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        run("pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", settings, "start")
        try:
            yield f"postgresql://tester@/postgres?host={place}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def engine_of(url: str, **options: str) -> sa.Engine:
    """Return connections to a test database."""
    if "://" in url:
        return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), **options)
    return sa.create_engine(f"sqlite:///{url}", **options)


def execute(url: str, *statements: str) -> None:
    """Execute SQL in one transaction."""
    engine = engine_of(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()
