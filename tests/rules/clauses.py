"""`python -m tests.rules.clauses`: writes the table of clauses and the tests that show them (rapid/rules/README.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.rules.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
README = ROOT / "rapid" / "rules" / "README.md"
FOLDERS = ("rules", "browser")
"""Under `tests`: where tests are named after clauses; the web client shows what has no engine in it."""
_TEST = re.compile(r"^(?:async )?def (test_((?:[A-Z]\d+|[3-9]_\d+|[6-9])(?=_))\w*)", re.MULTILINE)
REPORT_HEAD = "## Clauses switched off"

DOCUMENTS: dict[str, dict[str, str]] = {
    "002, `president`": {
        "C1": "seats, deck, deal", "C2": "strength", "C3": "extra cards",
        "P1": "what answers what", "P2": "no straights", "P3": "passing is allowed", "P4": "a pass binds",
        "P5": "when a round ends", "P6": "refused attempts change nothing", "P7": "who leads the next trick",
        "R1": "no turns", "R2": "one play a trick state", "R3": "stale attempts", "R4": "refusals, lost races",
        "R5": "passes", "R6": "all have passed", "R7": "the shared timer", "R8": "what restarts it",
        "R9": "order and clock", "R10": "no skip in a race",
        "T1": "the queen of hearts leads", "T2": "later the last leads", "T3": "whose turn",
        "T4": "when a trick closes",
        "T5": "thirty seconds", "T6": "what pauses nothing",
        "V1": "revolution", "V2": "four close", "V3": "strongest closes", "V4": "finish with a two", "V5": "skip",
        "V6": "closing reasons", "L1": "standings", "L2": "roles and points",
        "X1": "no exchange in round 1", "X2": "what is taken", "X3": "what is returned", "X4": "normal order",
        "G1": "the lobby", "G2": "results", "G3": "the end", "G4": "ending a game", "G5": "play again",
        "G6": "stand-ins", "G7": "leaving", "G8": "too few", "G9": "hosts and empty tables", "G10": "taking seats",
        "G11": "reactions",
    },
    "000, `presi`": {
        "3.1": "seats, deck, strength", "3.2": "the deal", "3.3": "who leads", "3.4": "answers and skips",
        "3.5": "the two of coins", "3.6": "passes", "3.7": "the last card closes", "3.8": "roles, points, target",
        "3.9": "the exchange", "3.10": "chairs that wait", "3.11": "three chairs that grow",
        "6": "other tables' options",
    },
    "001, `house`": {
        "4.1": "seats, answers", "4.2": "dealer and leader", "4.3": "passes", "4.4": "the exchange",
        "4.5": "points, roles, target", "4.6": "twists", "4.7": "the group stays",
    },
    "004, `escoria`": {
        "5.1": "seats, answers, leader", "5.2": "rank order", "5.3": "points, roles, target", "5.4": "the exchange",
        "5.5": "variations", "5.6": "powers",
    },
    "our own": {"7": "rapid for every ruleset", "8": "bots and stand-ins"},
}  # fmt: skip
"""By source document: its clauses in RULES, with what each is about."""


def shown_by_clause() -> dict[str, list[tuple[str, str]]]:
    """Return the tests of each clause: (file under `tests`, name)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in (path for folder in FOLDERS for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))):
        for name, clause in _TEST.findall(path.read_text(encoding="utf-8")):
            found.setdefault(clause.replace("_", "."), []).append((f"{path.parent.name}/{path.name}", name))
    return found


def table() -> str:
    """Return the text of the README."""
    found = shown_by_clause()
    lines = [
        "# The rules as data",
        "",
        "Presets are rows (`presets.py`), options fields laid over them (`options.py`); nothing asks for a ruleset by",
        "its name. Which test shows which clause: written by `python -m tests.rules.clauses`.",
    ]
    for document, clauses in DOCUMENTS.items():
        lines += ["", f"## Document {document}" if document != "our own" else "## Our own", ""]
        lines += ["| clause | about | tests |", "|---|---|---|"]
        lines += [f"| {clause} | {about} | {_named(found.get(clause, []))} |" for clause, about in clauses.items()]
    return "\n".join(lines) + "\n"


def mutation_report(done: int, got_by: Sequence[Mutant]) -> str:
    """Return the part of the README about a run of `python -m tests.rules.mutations`."""
    clauses = len({mutant.clause for mutant in MUTANTS})
    result = (
        "all of them caught"
        if not got_by
        else "not caught: " + ", ".join(f"{mutant.clause} {mutant.part}".strip() for mutant in got_by)
    )
    return "\n".join((
        REPORT_HEAD,
        "",
        "`python -m tests.rules.mutations` changes a line that makes a clause, or one option of it, true, and runs the",
        f"tests that the tables above name for that clause: {done} changes to {clauses} clauses, {result}.",
    )) + "\n"  # fmt: skip


def write(report: str | None = None) -> None:
    """Write the README; without a new report of the mutations it keeps the one it has."""
    _, head, kept = README.read_text(encoding="utf-8").partition(REPORT_HEAD)
    report = report if report is not None else head + kept
    README.write_text(table() + (f"\n{report}" if report else ""), encoding="utf-8")


def _named(tests: list[tuple[str, str]]) -> str:
    files: dict[str, list[str]] = {}
    for file, name in tests:
        files.setdefault(file, []).append(f"`{name}`")
    return "; ".join(f"{file}: {', '.join(names)}" for file, names in files.items())


if __name__ == "__main__":
    write()
