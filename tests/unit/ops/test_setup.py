"""ops/play on a fresh folder: real bash, real venv, real pip, and a project small enough to install in a moment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OPS = Path(__file__).parents[3] / "ops"

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "rapid"
version = "1"
"""

# Builds a wheel whose command `rapid` says how it was called; refuses while a file named `broken` is there.
BACKEND = """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    assert not os.path.exists("broken"), "told to fail"
    name = "rapid-1-py3-none-any.whl"
    info = "rapid-1.dist-info/"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("app.py", "import os, sys\\ndef main(): print(os.getcwd(), *sys.argv[1:])\\n")
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: rapid\\nVersion: 1\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\nrapid = app:main\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    (folder / "ops").mkdir(parents=True)
    for name in ("play", "setup.sh"):
        shutil.copy(OPS / name, folder / "ops" / name)
    for name in ("requirements.lock", "requirements-test.lock"):
        (folder / "ops" / name).write_text("# nothing\n")
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "backend.py").write_text(BACKEND)
    return folder


def play(project: Path, *options: str, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [project / "ops" / "play", *options],
        cwd=cwd or project,
        env=os.environ | {"RAPID_PYTHON": sys.executable} | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def assert_serves(ended: subprocess.CompletedProcess[str], cwd: Path, options: str = "") -> None:
    assert (ended.returncode, ended.stdout.strip()) == (0, f"{cwd} serve {options}".strip()), ended.stderr


def test_the_second_run_installs_nothing_until_something_changes_or_the_folder_moves(project: Path, tmp_path: Path):
    first = play(project, "--port", "1", cwd=tmp_path)
    assert_serves(first, tmp_path, "--port 1")
    assert "making .venv" in first.stderr

    second = play(project, "--data", "two words")
    assert_serves(second, project, "--data two words")
    assert second.stderr == ""

    with (project / "ops" / "requirements.lock").open("a") as lock:
        lock.write("# another\n")
    third = play(project)
    assert_serves(third, project)
    assert "installing" in third.stderr
    assert "making .venv" not in third.stderr

    # A moved environment still points at the old place.
    moved = project.rename(project.with_name("moved"))
    fourth = play(moved)
    assert_serves(fourth, moved)
    assert "making .venv" in fourth.stderr


def test_a_half_made_environment_and_a_failed_installation_are_recovered_from(project: Path):
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to("/nonexistent/python")
    (project / "broken").touch()
    failed = play(project)
    assert failed.returncode == 1
    assert "told to fail" in failed.stderr
    assert "installing failed" in failed.stderr
    (project / "broken").unlink()
    assert_serves(play(project), project)


def test_two_at_once_do_not_install_over_each_other(project: Path):
    command = [project / "ops" / "play"]
    environ = os.environ | {"RAPID_PYTHON": sys.executable}
    both = [
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("making .venv" in text for text in said) == 1


@pytest.fixture
def few_tools(tmp_path: Path) -> Path:
    """A PATH with the common tools alone: no Python, no package manager."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "basename", "cat", "cmp", "dirname", "env", "flock", "id", "rm"):
        (tools / name).symlink_to(shutil.which(name))
    return tools


def test_a_python_that_is_too_old_is_said_clearly(project: Path, few_tools: Path):
    old = few_tools / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit\nexit 1\n')
    old.chmod(0o755)
    ended = play(project, PATH=str(few_tools), RAPID_PYTHON="python3")
    assert ended.returncode == 1
    assert "Python 3.11 or newer with the venv module is needed, found: Python 3.9.2" in ended.stderr
    assert "python3-venv" in ended.stderr
    assert not (project / ".venv").exists()


def test_what_cannot_be_installed_for_the_tests_is_named(project: Path, few_tools: Path):
    ended = subprocess.run(
        ["bash", "-c", ". ops/setup.sh; need_command browser the-browser-package; echo went on"],
        cwd=project,
        env={"PATH": str(few_tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "the tests need browser; install the package the-browser-package" in ended.stderr


def test_the_run_says_that_nothing_is_tried_on_a_newer_redis_where_none_can_be_had(project: Path, few_tools: Path):
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").symlink_to(shutil.which("true"))
    ended = subprocess.run(
        ["bash", "-c", ". ops/setup.sh; need_redis; echo went on"],
        cwd=project,
        env={"PATH": str(few_tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "went on\n"), ended.stderr
    assert "nothing is tried on a newer one" in ended.stderr
