"""Build what is released; the same commit gives the same bytes.

    python release/build.py [ARTEFACT ...] [--target TRIPLE ...] [--output DIR]

    spec      archives of the specification
    pdf       the specification as one PDF
    vectors   archives of the vectors, and their source packages for Python, JavaScript and Rust
    python    wheel and source distribution
    native    wheel of the compiled core for Python, for this machine or for each --target, and source distribution
    js        package for npm
    rust      crate
    wasm      package for npm, the crate in WebAssembly
    go        module, as a module proxy serves it from files
    java      Maven repository with the library and its integrations, their sources and documentation
    c         source archive, and the library in one header

Each is in a folder of its own; SHA256SUMS lists the files of this run. It needs the clients of the languages that are
built: the Python packages "build" and "hatchling" for python, "weasyprint" and the Noto fonts for pdf, cargo and the
Python package "maturin" for native (and on Linux "ziglang", which links with the oldest C library that wheels may
need), npm, cargo (for wasm with the target wasm32-unknown-unknown), mvn.

What is inside the packages is compared with the committed lists in release/contents, and a difference is an error;
--write-contents writes the lists.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from release.archives import (
    EPOCH_SECONDS,
    HERE,
    ROOT,
    Files,
    ReleaseError,
    archives,
    spec_version,
    sums,
    tar_gz,
    write,
    write_packages,
    zipped,
)
from release.notices import MODULE, NOTICES, lock, notices

GO_MODULE = "github.com/simhash-doc/simhash-doc/ports/go"
GO_TIME = "2026-01-01T00:00:00Z"


def _run(*command: str, folder: str = ".", **variables: str) -> None:
    """Run the client of a language in a folder of the repository, with more environment variables.

    Raises:
        ReleaseError: it is not installed, or it failed.
    """
    if shutil.which(command[0]) is None:
        raise ReleaseError(f"{command[0]} is not installed")
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH_SECONDS)} | variables
    # What clients print is not a result of this program.
    if subprocess.run(command, cwd=ROOT / folder, env=environment, stdout=sys.stderr).returncode:
        raise ReleaseError(f"{' '.join(command)}: failed in {folder}")


def _tracked(folder: str) -> Files:
    """Return the files of a folder that git knows, by their names in it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT / folder, capture_output=True, check=True).stdout
    return {name: (ROOT / folder / name).read_bytes() for name in listed.decode().split("\0") if name}


def _version(port: str) -> str:
    """Return the version at the top of the changelog of a port, whose package has no file for it."""
    text = (ROOT / "ports" / port / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## (\d\S*)", text, re.MULTILINE)
    if not found:
        raise ReleaseError(f"ports/{port}/CHANGELOG.md: no heading '## X.Y.Z'")
    return found[1].rstrip(",")


def _spec(output: Path) -> None:
    for name, data in archives("spec", spec_version()).items():
        write(output / name, data)


def _pdf(output: Path) -> None:
    from release.pdf import specification_pdf  # no other artefact needs its packages

    write(output / f"simhash-doc-spec-{spec_version()}.pdf", specification_pdf())


def _vectors(output: Path) -> None:
    for name, data in archives("vectors", spec_version()).items():
        write(output / name, data)
    write_packages(output, spec_version())


def _python(output: Path) -> None:
    """Build from a copy of what git knows: a source distribution would also take ignored and untracked files."""
    with tempfile.TemporaryDirectory() as copy:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            place = Path(copy, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place)
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(output), copy)


def _native(output: Path, targets: Sequence[str] = ()) -> None:
    lock()
    if NOTICES.read_text(encoding="utf-8") != notices():
        raise ReleaseError(f"{NOTICES.relative_to(ROOT)} is not of these crates; run: python release/notices.py")
    host = subprocess.run(["rustc", "--print", "host-tuple"], capture_output=True, check=True, text=True).stdout.strip()
    # Messages of panics would name folders of this machine. The linker, zig, is found beside Python.
    sources = sorted(Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")).glob("registry/src/*"))
    environment = {
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(f"--remap-path-prefix={folder}/=" for folder in (*sources, ROOT)),
        "CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(output / "target")),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    maturin, folder = (sys.executable, "-m", "maturin"), str(MODULE.relative_to(ROOT))
    _run(*maturin, "sdist", "--out", str(output), folder=folder)
    for target in targets or [host]:
        oldest = {"gnu": "manylinux2014", "musl": "musllinux_1_2"}.get(target.rpartition("-")[2])
        linux = ("--zig", "--compatibility", oldest) if oldest and "-linux-" in target else ()
        options = ("--release", "--locked", "--target", target, *linux, "--out", str(output))
        _run(*maturin, "build", *options, folder=folder, **environment)
    shutil.rmtree(output / "target", ignore_errors=True)
    for wheel in output.glob("*.whl"):
        _forget_checkout(wheel)


def _forget_checkout(wheel: Path) -> None:
    """Take the folder of this checkout out of the list of components that is in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [(entry, archive.read(entry)) for entry in archive.infolist()]
    records: dict[str, str] = {}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries:  # RECORD is the last one
            if "/sboms/" in entry.filename:
                data = data.replace(ROOT.as_uri().encode(), b"file://")
            elif entry.filename.endswith("/RECORD"):
                lines = [line.split(",")[0] for line in data.decode().splitlines()]
                data = "".join(f"{name},{records.get(name, ',')}\n" for name in lines).encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records[entry.filename] = f"sha256={digest},{len(data)}"
            archive.writestr(entry, data)


def _js(output: Path) -> None:
    output.mkdir(parents=True)
    _run("npm", "pack", "--silent", "--pack-destination", str(output), folder="ports/js")


def _rust(output: Path) -> None:
    # The step rust builds the crate from what is packaged, with its tests.
    target = output / "target"
    # The lock file would name the newest dependencies of the tests.
    options = ("--quiet", "--no-verify", "--allow-dirty", "--exclude-lockfile", f"--target-dir={target}")
    _run("cargo", "package", *options, folder="ports/rust")
    for crate in target.glob("package/*.crate"):
        crate.rename(output / crate.name)
    shutil.rmtree(target)


def _wasm(output: Path) -> None:
    target, package = output / "target", output / "package"
    # Messages of panics would name the folder of the checkout.
    flags = f"--config=build.rustflags=['--remap-path-prefix={ROOT}=']"
    options = ("--profile=wasm", "--target=wasm32-unknown-unknown", f"--target-dir={target}", flags)
    _run("cargo", "build", "--quiet", *options, folder="ports/rust/wasm")
    (library,) = target.glob("wasm32-unknown-unknown/wasm/*.wasm")
    licences = {name: (ROOT / "ports/rust" / name).read_bytes() for name in ("LICENSE", "LICENSE-UNICODE.txt")}
    for name, data in (_tracked("ports/rust/wasm") | licences | {"simhash_doc.wasm": library.read_bytes()}).items():
        write(package / name, data)
    _run("npm", "pack", "--silent", "--pack-destination", str(output), folder=str(package))
    shutil.rmtree(target)
    shutil.rmtree(package)


def _go(output: Path) -> None:
    version, files = f"v{_version('go')}", _tracked("ports/go")
    folder = output / GO_MODULE / "@v"
    write(folder / "list", f"{version}\n".encode())
    write(folder / f"{version}.info", json.dumps({"Version": version, "Time": GO_TIME}).encode())
    write(folder / f"{version}.mod", files["go.mod"])
    write(folder / f"{version}.zip", zipped(f"{GO_MODULE}@{version}", files))


def _java(output: Path) -> None:
    place = f"-DaltDeploymentRepository=release::file:{output}"
    # The step java checks the format, and runs the tests.
    options = ("-Prelease", "-Dmaven.test.skip", "-Dspotless.check.skip")
    for folder in ("ports/java", "ports/java/integrations"):
        _run("mvn", "--batch-mode", "--quiet", *options, place, "deploy", folder=folder)
    for path in output.rglob("maven-metadata.xml*"):
        path.unlink()  # it has the time of this run, and the registry writes its own


def _c(output: Path) -> None:
    prefix = f"simhash-doc-c-{_version('c')}"
    write(output / f"{prefix}.tar.gz", tar_gz(prefix, _tracked("ports/c")))
    _run(sys.executable, "ports/c/tools/single_header.py", str(output / "simhash_doc.h"))


ARTEFACTS: dict[str, Callable[[Path], None]] = {
    "spec": _spec,
    "pdf": _pdf,
    "vectors": _vectors,
    "python": _python,
    "native": _native,
    "js": _js,
    "rust": _rust,
    "wasm": _wasm,
    "go": _go,
    "java": _java,
    "c": _c,
}

# The packages whose contents are listed. The Python package's source distribution holds what git has, and tests check
# the archives.
PACKAGES = {
    "python": "*.whl",
    "native": "*.whl",
    "native-source": "*.tar.gz",
    "js": "*.tgz",
    "rust": "*.crate",
    "wasm": "*.tgz",
    "go": "*.zip",
    "java": "simhash-doc-[0-9]*[0-9].jar",
    "c": "*.tar.gz",
}


def _files(path: Path) -> Files:
    """Return the files in a package, by their names without versions."""
    if path.name.endswith((".whl", ".jar", ".zip")):
        with zipfile.ZipFile(path) as archive:
            files = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    else:
        with tarfile.open(path) as packed:
            opened = {entry.name: packed.extractfile(entry) for entry in packed}
            files = {name: file.read() for name, file in opened.items() if file}
    # Windows has another suffix for the same module.
    return {
        re.sub(r"-v?\d[\w.-]*?(?=/|\.dist-info)|@v[^/]+", "", name).replace(".pyd", ".abi3.so"): data
        for name, data in files.items()
    }


def _check_contents(name: str, package: Path, *, written: bool) -> None:
    """Compare what is inside a package with a committed list, or write the list; follow its links.

    Raises:
        ReleaseError: they differ, or a link in the README leads nowhere.
    """
    files = _files(package)
    # The vectors have digests.
    found = sorted(file for file in files if "/published/vectors/" not in file)
    committed = HERE / f"contents/{name}.txt"
    if written:
        write(committed, "".join(f"{line}\n" for line in found).encode())
    expected = committed.read_text(encoding="utf-8").splitlines()
    if found != expected:
        more, fewer = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
        raise ReleaseError(f"not in {committed.name}: {more}; in it, but not built: {fewer}; see --write-contents")
    # The long description of a wheel is the README.
    for readme in (file for file in found if re.search(r"/(README\.md|METADATA)$", file) and "/published/" not in file):
        links = re.findall(r"\]\((?!https?:)([^)#]+)", files[readme].decode())
        if dead := [link for link in links if f"{readme.rpartition('/')[0]}/{link}" not in files]:
            raise ReleaseError(f"{readme} links to {dead}, which the package does not have; expected URLs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artefacts", nargs="*", metavar="ARTEFACT", help=f"{', '.join(ARTEFACTS)} [default: all]")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="DIR", help="[default: dist]")
    parser.add_argument(
        "--target", action="append", dest="targets", metavar="TRIPLE", help="for native: a platform, as Rust names it"
    )
    parser.add_argument("--write-contents", action="store_true", help="write the lists of what is inside the packages")
    arguments = parser.parse_args()
    if unknown := set(arguments.artefacts) - set(ARTEFACTS):
        parser.error(f"unknown artefact {', '.join(sorted(unknown))}; expected {', '.join(ARTEFACTS)}")
    output: Path = arguments.output.resolve()
    built: Files = {}
    build = ARTEFACTS | {"native": partial(_native, targets=arguments.targets)}
    for name in arguments.artefacts or ARTEFACTS:
        shutil.rmtree(output / name, ignore_errors=True)
        try:
            build[name](output / name)
            for listed in (listed for listed in PACKAGES if listed.partition("-")[0] == name):
                packages = list((output / name).rglob(PACKAGES[listed]))
                if not packages:
                    raise ReleaseError(f"built no {PACKAGES[listed]}")
                for package in packages:
                    _check_contents(listed, package, written=arguments.write_contents)
        except ReleaseError as error:
            print(f"release/build.py: {name}: {error}", file=sys.stderr)
            return 1
        files = [path for path in sorted((output / name).rglob("*")) if path.is_file()]
        built |= {path.relative_to(output).as_posix(): path.read_bytes() for path in files}
        print(f"{name:<8} {len(files):>5} files {sum(path.stat().st_size for path in files):>12,} bytes")
    write(output / "SHA256SUMS", sums(built).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
