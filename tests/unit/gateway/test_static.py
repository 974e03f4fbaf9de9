"""The web client's files: what is served, how it is cached, and that nothing else of the machine is."""

import contextlib

import aiohttp
import pytest
from aiohttp import web

from rapid.gateway import static
from rapid.gateway.static import Client, built_client, security_headers

LATER = "Fri, 01 Jan 2100 00:00:00 GMT"


@contextlib.asynccontextmanager
async def serving(folder):
    app = web.Application()
    app.add_routes(Client(folder).routes())
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession() as http:
            yield http, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture
def built(tmp_path):
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>page")
    (folder / "assets" / "app-1a2b.js").write_text("1")
    (folder / "assets" / "app-1a2b.css").write_text("a{}")
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "app.webmanifest").write_text("{}")
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    return folder


@pytest.mark.parametrize(
    "path, kind, cache",
    [
        ("/", "text/html", "no-cache"),
        ("/t/abcdefghij23", "text/html", "no-cache"),
        ("/index.html", "text/html", "no-cache"),
        ("/assets/app-1a2b.js", "text/javascript", "public, max-age=31536000, immutable"),
        ("/assets/app-1a2b.css", "text/css", "public, max-age=31536000, immutable"),
        ("/icon.svg", "image/svg+xml", "no-cache"),
        ("/app.webmanifest", "application/manifest+json", "no-cache"),
    ],
)
async def test_files_are_served_with_their_type_and_cache(built, path, kind, cache):
    async with serving(built) as (http, url), http.get(url + path) as answer:
        assert answer.status == 200
        assert answer.content_type == kind
        assert answer.headers["Cache-Control"] == cache
        assert await answer.read()


@pytest.mark.parametrize(
    "path", ["/nothing", "/assets/", "/assets", "/../secret", "/%2e%2e/secret", "/assets/..%2f..%2fsecret", "/link",
             "/%00", "/t/x", "/t/../secret", "//etc/passwd", "/assets/%2fetc%2fpasswd"]
)  # fmt: skip
async def test_nothing_else_is(built, path):
    async with serving(built) as (http, url), http.get(aiohttp.client.URL(url + path, encoded=True)) as answer:
        assert answer.status == 404
        assert "secret" not in await answer.text()


NOWHERE = [
    "/nothing",
    "/t/",
    "/t",
    "/t/ABC",
    "/t/abc",
    "/t/abcdefghij2_",
    "/T/",
    "/assets/gone.js",
    "/index.htm",
    "/nothing/",
]
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", NOWHERE)
async def test_a_person_at_an_address_that_leads_nowhere_is_shown_the_page(built, path, method):
    headers = {"Accept": BROWSER, "If-None-Match": "*", "Range": "bytes=0-3", "If-Modified-Since": LATER}
    async with serving(built) as (http, url), http.request(method, url + path, headers=headers) as answer:
        assert (answer.status, answer.content_type) == (404, "text/html")
        assert answer.headers["Cache-Control"] == "no-store"
        assert await answer.text() == ("<!doctype html>page" if method == "GET" else "")


@pytest.mark.parametrize("accept", ["*/*", "application/json", "image/avif,*/*;q=0.8", ""])
@pytest.mark.parametrize("path", NOWHERE)
async def test_a_program_is_told_of_a_problem_there(built, path, accept):
    async with serving(built) as (http, url), http.get(url + path, headers={"Accept": accept}) as answer:
        assert (answer.status, answer.content_type) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/api", "/ws", "/api/", "/api/nothing", "/ws/x/y"])
async def test_what_is_for_programs_shows_no_page(built, path):
    async with serving(built) as (http, url), http.get(url + path, headers={"Accept": BROWSER}) as answer:
        assert answer.status == 404
        assert answer.content_type != "text/html"


@pytest.mark.parametrize("accept", [BROWSER, "*/*"])
@pytest.mark.parametrize("path", ["/t/ABCDEFGHIJ23", "/t/abcdefghij23/", "/T/abcdefghij23", "/t/aBcDeFgHiJ23/?x=1"])
async def test_capitals_in_a_tables_address_lead_to_the_table(built, path, accept):
    async with serving(built) as (http, url):
        async with http.get(url + path, headers={"Accept": accept}, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (302, "/t/abcdefghij23")
        async with http.get(url + path, headers={"Accept": accept}) as answer:
            assert (answer.status, await answer.text()) == (200, "<!doctype html>page")


async def test_until_it_is_built_whoever_is_nowhere_is_told_that(tmp_path):
    async with serving(tmp_path) as (http, url), http.get(url + "/nothing", headers={"Accept": BROWSER}) as answer:
        assert answer.status == 404
        assert "npm run build" in await answer.text()


async def test_until_it_is_built_the_page_says_how(tmp_path):
    async with serving(tmp_path / "dist") as (http, url):
        async with http.get(url + "/") as answer:
            assert answer.status == 200
            assert "npm run build" in await answer.text()
            assert answer.headers["Cache-Control"] == "no-store"
        async with http.get(url + "/assets/x.js") as answer:
            assert answer.status == 404
        (tmp_path / "dist").mkdir()
        (tmp_path / "dist" / "index.html").write_text("built now")
        async with http.get(url + "/") as answer:
            assert await answer.text() == "built now"


def test_the_packaged_client_comes_before_the_checkouts(tmp_path, monkeypatch):
    packaged, checkout = tmp_path / "rapid" / "gateway", tmp_path / "checkout"
    monkeypatch.setattr(static.resources, "files", lambda _: packaged)
    monkeypatch.setattr(static, "CHECKOUT", checkout)
    assert built_client() is None
    built = checkout / "clients" / "web" / "dist"
    built.mkdir(parents=True)
    (built / "index.html").touch()
    assert built_client() == built
    (packaged / "static").mkdir(parents=True)
    (packaged / "static" / "index.html").touch()
    assert built_client() == packaged / "static"


@pytest.mark.parametrize("host", ["a.example", "a.example:8080", "192.168.1.5:8080", "[::1]:8080"])
def test_the_policy_names_the_own_host(host):
    policy = security_headers(host)["Content-Security-Policy"]
    assert f"connect-src 'self' ws://{host} wss://{host};" in policy


@pytest.mark.parametrize("host", ["", "a; script-src *", "a b", "a'", "a\nb", "*"])
def test_the_policy_names_no_strange_host(host):
    policy = security_headers(host)["Content-Security-Policy"]
    assert "connect-src 'self';" in policy
    assert policy.count("script-src") == 1
