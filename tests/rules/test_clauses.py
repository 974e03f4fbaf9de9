"""Every clause of the four documents has a test, and the table of the README names only tests there are."""

import pytest

from tests.rules.clauses import DOCUMENTS, README, REPORT_HEAD, ROOT, shown_by_clause, table
from tests.rules.mutants import MUTANTS

CLAUSES = [clause for clauses in DOCUMENTS.values() for clause in clauses]
NAMED = README.read_text(encoding="utf-8")


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_has_a_test_and_a_row(clause):
    assert shown_by_clause().get(clause)
    assert f"| {clause} | " in NAMED


def test_the_table_names_the_tests_that_there_are():
    assert NAMED.partition(REPORT_HEAD)[0] == f"{table()}\n", "run: python -m tests.rules.clauses"


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_can_be_switched_off(clause):
    assert any(mutant.clause == clause for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.clause} {mutant.part}".strip())
def test_what_a_mutation_changes_is_there(mutant):
    """If this fails, name the clause's new place in `mutants.py` and run `python -m tests.rules.mutations`."""
    text = (ROOT / "rapid" / mutant.file).read_text(encoding="utf-8")
    changed = mutant.applied(text)
    assert changed != text
    compile(changed, mutant.file, "exec")


def test_the_readme_says_what_came_of_it():
    assert f"{len(MUTANTS)} changes to" in NAMED.partition(REPORT_HEAD)[2]
