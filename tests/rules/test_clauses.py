"""Every clause of the four documents has a test, and the table of the README names only tests there are."""

import re

import pytest

from tests.rules.clauses import DOCUMENTS, README, shown_by_clause

CLAUSES = [clause for clauses in DOCUMENTS.values() for clause in clauses]
NAMED = README.read_text(encoding="utf-8")


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_has_a_test_and_a_row(clause):
    assert shown_by_clause().get(clause)
    assert f"| {clause} | " in NAMED


def test_what_the_table_names_is_there():
    there = {name for tests in shown_by_clause().values() for _, name in tests}
    named = set(re.findall(r"`(test_[A-Za-z0-9_]+)`", NAMED))
    assert named
    assert named <= there, "run: python -m tests.rules.clauses"
