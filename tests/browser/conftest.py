"""Chromium of the system, one server for all browser tests, and people with a profile of their own each."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.bench import DESKTOP, PHONE, ROOT, Person, Place, Puppet, Server

# What is expected comes; a machine under load may take its time.
expect.set_options(timeout=30_000)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A plain http address that is no secure context, as on the local network.
    "--host-resolver-rules=MAP rapid.test 127.0.0.1",
]


@pytest.fixture(scope="session")
def client() -> None:
    """The web client, built from the present source."""
    subprocess.run([sys.executable, ROOT / "ops" / "build_web.py", "ready"], check=True)


@pytest.fixture(scope="session")
def server(client: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("browser"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "the browser tests need Chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def people(chromium: Browser, server: Server) -> Iterator[Callable[..., Person]]:
    """`people(phone=True, theme="dark", lang="es", …)`: somebody with an empty browser."""
    made: list[Person] = []

    def person(*, phone: bool = False, theme: str = "light", lang: str = "en", **more: Any) -> Person:
        context = chromium.new_context(
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            is_mobile=phone,
            color_scheme=theme,
            locale=lang,
            **more,
        )
        context.set_default_timeout(30_000)
        made.append(Person(context, server, touches=phone))
        return made[-1]

    yield person
    for each in made:
        each.context.close()
        assert each.foreign == [], "a request left the origin"
        assert each.complaints == [], "the page broke, or its Content-Security-Policy"


@pytest.fixture
def puppets(chromium: Browser, server: Server) -> Iterator[Callable[[Place | str], Puppet]]:
    context = chromium.new_context()
    yield lambda place: Puppet(context.new_page(), server, place)
    context.close()


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The gallery, built from the present source, away from what the wheel carries."""
    out = tmp_path_factory.mktemp("gallery")
    command = [sys.executable, ROOT / "ops" / "build_web.py", "gallery", "--out", out]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def gallery(people, server, built):
    """`gallery(theme, lang)`: a person who looks at made-up states, at the address of the real server."""

    def looks(theme="light", lang="en", **more):
        person = people(theme=theme, lang=lang, **more)
        person.page.route(
            "**/gallery/**", lambda route: route.fulfill(path=built / route.request.url.split("/gallery/")[1])
        )
        person.opens("/gallery/dev/gallery.html")
        person.page.wait_for_function("() => window.gallery !== undefined")
        return person

    return looks
