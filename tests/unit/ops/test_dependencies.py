"""What the code imports is what the package asks for: the test environment holds more and would hide a gap."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = {"rapid", "rapid_client", "rapid_terminal"}
FOLDERS = ["rapid", "clients/python/rapid_client", "clients/terminal/rapid_terminal"]


def imported(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((alias.name.partition(".")[0], path) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0], path


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_library_that_is_imported_is_a_dependency(folder):
    declared = {Requirement(line).name.replace("-", "_") for line in PROJECT["dependencies"]}
    foreign = {(name, path) for name, path in imported(ROOT / folder) if name not in OURS | sys.stdlib_module_names}
    assert {(name, path) for name, path in foreign if name not in declared} == set()


def test_the_python_client_asks_for_two_libraries_only():
    allowed = {"rapid_client", "aiohttp", "msgpack"} | sys.stdlib_module_names
    foreign = {name for name, _ in imported(ROOT / "clients/python/rapid_client") if name not in allowed}
    assert foreign == set()
