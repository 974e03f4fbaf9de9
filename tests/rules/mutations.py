"""`python -m tests.rules.mutations [CLAUSE …]`: switches each clause off and shows that a test of it fails.

Each mutant runs in a process of its own, in which one module of `rapid` is compiled from the changed text: no file
is touched. A run over all clauses writes what came of it into `rapid/rules/README.md`.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from tests.rules.clauses import ROOT, mutation_report, shown_by_clause, write
from tests.rules.mutants import MUTANTS, Mutant

CAUGHT, PASSED = 1, 0
"""Exit codes of pytest: tests failed, all passed."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the module from the mutant's text, never from a cache."""

    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        text = (ROOT / "rapid" / self._mutant.file).read_text(encoding="utf-8")
        return compile(self._mutant.applied(text), self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that is changed."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = "rapid." + mutant.file.removesuffix(".py").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        file = str(ROOT / "rapid" / self._mutant.file)
        return importlib.util.spec_from_file_location(fullname, file, loader=_Loader(fullname, file, self._mutant))


def tests_of(clause: str) -> list[str]:
    """Return the tests that the table names for the clause, as pytest names them."""
    named = shown_by_clause().get(clause, [])
    return [f"tests/{file}::{name}" for file, name in named if file.startswith("rules/")]


def is_caught(mutant: Mutant) -> bool:
    """Return whether a test of the clause fails while it is switched off."""
    child = os.fork()
    if child == 0:
        os._exit(_run(mutant))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in {CAUGHT, PASSED}:
        raise RuntimeError(f"{mutant.clause} {mutant.part}: the tests could not be run ({code})")
    return code == CAUGHT


def _run(mutant: Mutant) -> int:
    pytest: Any = importlib.import_module("pytest")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.meta_path.insert(0, _Finder(mutant))
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    return int(pytest.main([*options, *tests_of(mutant.clause)]))


def main(asked: Sequence[str]) -> int:
    """Run the mutants of the clauses asked for, or all; 1 if one got by."""
    os.chdir(ROOT)
    importlib.import_module("pytest")
    got_by = []
    for mutant in MUTANTS:
        if asked and mutant.clause not in asked:
            continue
        caught = is_caught(mutant)
        got_by += [] if caught else [mutant]
        print("caught" if caught else "GOT BY", mutant.clause, mutant.part, flush=True)
    if not asked:
        write(mutation_report(len(MUTANTS), got_by))
    return 1 if got_by else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
