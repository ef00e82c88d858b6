"""Logging in and using the hub with a real browser, and thieves."""

import http.server
import json
import re
import threading

import pytest

from hub import Hub, bearer
from lib import ROOT, Home, wait_for
from page import Page
from stream_client import Stream

API = "/api/v1/"


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        home.start("cat", options=("--name", "shown"))
        home.start("cat", options=("--name", "other"))
        yield home


@pytest.fixture(scope="module")
def hub(home):
    with Hub(home) as hub:
        yield hub


@pytest.fixture
def page():
    with Page() as page:
        yield page


CALL = """
(async (path, args, key) => {
    const answer = await fetch(path, {
        method: 'POST',
        headers: {'Content-Type': 'application/json',
                  ...(key ? {'X-Tend-Key': key} : {})},
        body: JSON.stringify(args),
    });
    return [answer.status, await answer.json()];
})
"""


def call(page, route, key="localStorage.getItem('tend-key')", **args):
    """An operation, called by the page."""
    return page.run(f"{CALL}({json.dumps(API + route)}, {json.dumps(args)}, "
                    f"{key})")


def log_in(page, url):
    page.open(url)
    wait_for(lambda: page.run("document.body.dataset.principal || ''"),
             lambda: page.run("document.body.innerText"))


def test_a_browser_logs_in_with_the_link_and_uses_the_api(home, hub, page):
    """C-11: the code once; then the cookie and the key of the page."""
    url = hub.call("login/create", {})["url"]
    log_in(page, url)
    assert page.run("location.hash") == "", "the code stays in the address"
    assert page.run("document.cookie") == "", "a script reads the cookie"
    status, who = call(page, "identity/get")
    assert status == 200 and who["verified"] == "cookie", who
    assert re.fullmatch(r"owner:browser/[0-9A-Z]{26}", who["principal"]), who
    status, listed = call(page, "session/list")
    assert sorted(s["name"] for s in listed["sessions"]) == ["other", "shown"]
    assert call(page, "session/send", session="shown",
                input=[{"text": "from the page"}])[0] == 200
    home.wait_text("shown", "from the page")
    # Neither the cookie alone nor another key.
    for key in ("null", "'tend_k_' + 'x'.repeat(43)"):
        status, problem = call(page, "session/list", key=key)
        assert status == 401, problem
    # The link again.
    page.open(hub.url + "/healthz")
    page.open(url)
    text = wait_for(lambda: page.run(
        "(t => t.startsWith('Not logged in') ? t : '')"
        "(document.getElementById('state').textContent)"), "a refusal")
    assert "was used" in text, text
    # Logging out ends the cookie at once.
    page.open(hub.url + "/")
    assert call(page, "logout")[0] == 200
    assert call(page, "session/list")[0] == 401


def test_a_browser_is_logged_in_at_two_hubs(hub, page):
    """Chromium keeps one cookie of a name for all ports of 127.0.0.1."""
    with Home() as other, Hub(other) as second:
        for one in (hub, second):
            log_in(page, one.call("login/create", {})["url"])
        for one in (hub, second):
            page.open(one.url + "/")
            status, who = call(page, "identity/get")
            assert status == 200 and who["verified"] == "cookie", who


def test_a_browser_cannot_be_used_by_a_page_of_another_port(home, hub, page):
    """S1, S3: Chromium sends the cookie to a thief's port; it opens nothing."""
    stolen = []

    class Thief(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            stolen.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>a dev server</title>")

        def log_message(self, *_):
            pass

    log_in(page, hub.call("login/create", {})["url"])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Thief)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.open(f"http://127.0.0.1:{server.server_port}/")
        cookie = next(c for c in stolen if c)
        assert re.search(r"\btend-[0-9a-f]{8}=tend_c_", cookie), cookie
        # Its script has no key, and may neither send nor read.
        assert page.run("localStorage.getItem('tend-key')") is None
        for kind in ("application/json", "text/plain"):
            got = page.run(
                f"fetch('{hub.url}{API}session/send', {{method: 'POST', "
                f"credentials: 'include', headers: {{'Content-Type': "
                f"'{kind}'}}, body: JSON.stringify({{session: 'shown', "
                "input: [{text: 'stolen'}]})}).then(r => 'status ' + r.status,"
                " () => 'blocked')")
            assert got == "blocked", got
        got = page.run(
            f"new Promise(done => {{ const s = new WebSocket("
            f"'{hub.url.replace('http', 'ws')}{API}stream'); "
            "s.onopen = () => done('open'); s.onerror = () => done('error'); "
            "})")
        assert got == "error", got
    finally:
        server.shutdown()
        server.server_close()
    # The thief's server replays the cookie itself.
    rows = re.findall(r'^ROUTE\("([A-Z]+)[A-Z ]*", API "([^"]*)", ([A-Z]+)',
                      (ROOT / "src/hub/routes.def").read_text(), re.M)
    routes = [(method, API + path) for method, path, access in rows
              if access != "ANYONE"]
    paths = hub.get("/openapi.json").json["paths"]
    routes += [("POST", path) for path in paths if path.startswith(API)]
    tried = 0
    for method, path in dict(reversed(r) for r in routes).items():
        if path == API + "login":
            continue
        body = {} if path == "POST" else None
        reply = hub.request(path, method, body, {"Cookie": cookie},
                            unix=False)
        assert reply.status in (400, 401, 405), reply
        tried += 1
    assert tried > 40
    assert hub.get("/healthz").status == 200
    assert "stolen" not in str(home.screen("shown")["lines"])


def test_a_stolen_cookie_opens_no_stream(hub, page):
    """S3: without the key of the page, the hub says nothing and closes."""
    log_in(page, hub.call("login/create", {})["url"])
    cookies = page.call("Network.getCookies", urls=[hub.url])["cookies"]
    cookie, = [c for c in cookies if c["name"].startswith("tend")]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
    headers = {"Cookie": f"{cookie['name']}={cookie['value']}"}
    key = page.run("localStorage.getItem('tend-key')")
    flipped = key[:20] + chr(ord(key[20]) ^ 1) + key[21:]
    for wrong in (None, "", flipped, cookie["value"]):
        with Stream(hub, headers=headers, hello=False) as stream:
            assert stream.status == 101
            stream.send(type="hello", versions=[1], features=[],
                        client="thief", **({} if wrong is None else
                                           {"key": wrong}))
            assert stream.until_closed(30) == 4401
            assert [m for m in stream.messages if m["type"] != "error"] == []
    with Stream(hub, headers=headers, key=key) as stream:
        assert stream.hello["type"] == "hello", stream.hello


@pytest.mark.parametrize("drive", [False, True])
def test_a_shared_link_works_in_a_browser(home, hub, page, drive):
    """C-11: one session; view-only links cannot type, and make no others."""
    hub.stop()
    hub.start()  # the thieves have used up the tries of this address
    made = hub.call("share/create", {"session": "shown", "drive": drive})
    log_in(page, made["url"])
    assert page.run("location.hash") == ""
    status, who = call(page, "identity/get")
    assert status == 200 and who["principal"] == f"share:{made['id']}", who
    assert who["scope"] == (["observe", "drive"] if drive else ["observe"])
    assert who["home"] == [], who
    status, listed = call(page, "session/list")
    assert [s["name"] for s in listed["sessions"]] == ["shown"]
    assert call(page, "session/snapshot", session="shown")[0] == 200
    assert call(page, "session/snapshot", session="other")[0] == 404
    typed = {"session": "shown", "input": [{"text": f"drive {drive}"}]}
    assert call(page, "session/send", **typed)[0] == (200 if drive else 403)
    assert call(page, "session/kill", session="shown")[0] == 403
    for route, args in (("share/create", {"session": "shown", "drive": True}),
                        ("share/list", {}), ("token/create", {}),
                        ("login/create", {}), ("session/create", {}),
                        ("audit/list", {}), ("session/environment",
                                             {"session": "shown"})):
        assert call(page, route, **args)[0] == 403, route
    # The secret of one link is no part of another.
    assert hub.post(API + "login", {"code": made["secret"]},
                    unix=False).status == 401
    as_token = {"unix": False, "headers": bearer(made["secret"])}
    assert hub.post(API + "session/send", typed, **as_token).status == (
        200 if drive else 403)
    # Revoking ends the link and its browsers.
    hub.call("share/revoke", {"id": made["id"]})
    assert call(page, "session/list")[0] == 401
    assert hub.post(API + "session/list", {}, **as_token).status == 401
    assert hub.post(API + "login", {"share": made["secret"]},
                    unix=False).status == 401
