"""Pages of other sites cannot use the hub (S1, S6b): the matrix of Host, Origin
and Sec-Fetch on every route, in the default configuration, and a real browser."""

import http.server
import json
import os
import random
import resource
import threading
import time

import pytest

import browser
from hub import Hub
from lib import Home, wait_for
from pipeline import Pipe, ask, head
from served import home, hub

FULL = "TEND_TEST_FULL" in os.environ
CELLS = 70_000 if FULL else 6_000
UPGRADES = 2_000 if FULL else 200

FOREIGN_HOSTS = """
    {ip} {ip}:80 {ip}:0{port} {ip}:{port}0 {ip}:1{port} {ip}.:{port}
    {ip}:{port}. {ip}:{port}/ {ip}:{port}@evil.com evil.com@{ip}:{port}
    user@{ip}:{port} user:pass@{ip}:{port} {ip}:{port},evil.com
    evil.com,{ip}:{port} {ip}:{port}:{port} {ip}::{port} {ip}.nip.io:{port}
    127.0.0.1.nip.io:{port} 127-0-0-1.sslip.io:{port} 127.1:{port}
    127.0.1:{port} 2130706433:{port} 0x7f000001:{port} 0x7f.1:{port}
    0177.0.0.1:{port} 017700000001:{port} 127.0.0.01:{port} 127.0.0.2:{port}
    0.0.0.0:{port} 0:{port} [::1]:{port} [::]:{port} [::ffff:127.0.0.1]:{port}
    [::ffff:7f00:1]:{port} localhost localhost:80 localhost.:{port}
    LOCALHOST:{port} Localhost:{port} localhost.evil.com:{port}
    evil.localhost:{port} localhost.localdomain:{port} evil-localhost:{port}
    localhost:{port}.evil.com localhost%00.evil.com:{port} xlocalhost:{port}
    localhostx:{port} localhost:{port}x localhost:{port}#x localhost:{port}?x
    evil.com evil.com:{port} evil:{port} rebind.evil.com:{port}
    http://localhost:{port} //localhost:{port} * null - . : :{port}
    {name}:{port}
""".split()

FOREIGN_ORIGINS = """
    null http://evil.com http://evil.com:{port} https://{host} http://{ip}
    http://localhost http://{host}/ http://{host}. http://{host}0
    http://0{host} http://localhost.evil.com:{port}
    http://{ip}.nip.io:{port} http://user@{host} http://{host}@evil.com
    http://{host},http://evil.com HTTP://{host} http://LOCALHOST:{port}
    {host} //{host} ws://{host} file:// http://[::1]:{port}
    http://0.0.0.0:{port} http://127.1:{port} http://2130706433:{port}
    chrome-extension://abcdefgh moz-extension://1 data: * http:// http:{host}
""".split()

# Sec-Fetch-Site, -Mode and -Dest; the first three are not another site's.
FETCHES = [
    (), ("same-origin", "cors", "empty"), ("none", "navigate", "document"),
    ("cross-site", "navigate", "document"), ("cross-site", "no-cors", "image"),
    ("cross-site", "cors", "empty"), ("cross-site", "websocket", "websocket"),
    ("cross-site", "navigate", "iframe"), ("same-site", "cors", "empty"),
    ("same-site", "navigate", "document"), ("Same-Origin", "cors", "empty"),
    ("", "", ""), ("same-origin, none", "cors", "empty"),
]

# The reasons of the gate, as a client sees them.
GATE = (b"does not have this Host", b"pages of this Origin",
        b"pages of other sites")


@pytest.fixture(scope="module")
def secret(hub):
    return hub.call("token/create", {"scope": ["observe"]})["secret"]


def is_endless(entry):
    return "text/event-stream" in entry["responses"]["200"].get("content", {})


def routes(hub, endless=False):
    """All methods and paths, from the hub's own description.  An answer of an
    endless one would keep the requests behind it."""
    paths = hub.get("/openapi.json").json["paths"]
    found = [(method.upper(), path, not entry.get("security", [1]))
             for path, entries in paths.items()
             for method, entry in entries.items()
             if method in ("get", "post") and is_endless(entry) == endless]
    assert len(found) > (0 if endless else 60), found
    return found


class Matrix:
    """The cells, and the answer that each must have."""

    def __init__(self, hub, secret):
        self.routes = routes(hub)
        self.own = [f"127.0.0.1:{hub.port}", f"localhost:{hub.port}"]
        names = {"ip": "127.0.0.1", "port": hub.port, "name": "build"}
        self.hosts = self.own + [h.format(**names) for h in FOREIGN_HOSTS]
        self.origins = [None, *(f"http://{h}" for h in self.own)] + [
            o.format(host=self.own[1], **names) for o in FOREIGN_ORIGINS]
        self.secret = secret

    def fields(self, host, origin, fetch):
        names = ("Site", "Mode", "Dest")
        return [f"Host: {host}", f"Authorization: Bearer {self.secret}",
                *([f"Origin: {origin}"] if origin is not None else []),
                *(f"Sec-Fetch-{n}: {v}" for n, v in zip(names, fetch)),
                f"X-Forwarded-Host: {self.own[0]}",
                f"Forwarded: host={self.own[0]}"]

    def passes(self, route, host, origin, fetch):
        method, _, is_page = route
        link = (is_page and method == "GET" and
                fetch[1:] == ("navigate", "document"))
        return (host in self.own and origin in (None, f"http://{host}") and
                (not fetch or fetch[0] in ("same-origin", "none") or link))

    def cells(self, count):
        """Every value with right ones beside it, on every route, and as many
        random cells."""
        for route in self.routes:
            for host in self.hosts if FULL else random.sample(self.hosts, 12):
                yield route, host, None, ()
            for origin in (self.origins if FULL else
                           random.sample(self.origins, 8)):
                yield route, self.own[0], origin, ()
            for fetch in FETCHES:
                yield route, self.own[1], None, fetch
        for _ in range(count):
            yield (random.choice(self.routes), random.choice(self.hosts),
                   random.choice(self.origins), random.choice(FETCHES))


def check(matrix, cell, answer):
    """Returns True if the gate let the request pass."""
    refused = any(reason in answer.body for reason in GATE)
    assert refused != matrix.passes(*cell), (cell, answer)
    if refused:
        own = cell[1] in matrix.own
        assert answer.status == (403 if own else 421), (cell, answer)
    assert b"Access-Control-" not in answer.head, answer
    return not refused


def test_only_pairs_of_the_list_pass_on_every_route(hub, secret):
    """S1"""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    random.seed(seed)
    matrix = Matrix(hub, secret)
    cells = list(matrix.cells(CELLS))
    begin, passed = time.monotonic(), 0
    for at in range(0, len(cells), 4096):
        part = cells[at:at + 4096]
        answers = ask(hub, [head(route[0], route[1],
                                 *matrix.fields(host, origin, fetch))
                            for route, host, origin, fetch in part])
        passed += sum(check(matrix, cell, answer)
                      for cell, answer in zip(part, answers, strict=True))
    print(f"{len(cells)} requests in {time.monotonic() - begin:.1f} s,"
          f" {passed} passed")
    assert passed > len(matrix.routes)


def test_only_pairs_of_the_list_get_events(hub, secret):
    """S1, for answers without an end."""
    matrix = Matrix(hub, secret)
    passed = 0
    for route in routes(hub, endless=True):
        for cell in [*((route, host, None, ()) for host in matrix.hosts),
                     *((route, matrix.own[0], origin, ())
                       for origin in matrix.origins),
                     *((route, matrix.own[1], None, fetch)
                       for fetch in FETCHES)]:
            with Pipe(hub) as pipe:
                pipe.send(head(route[0], route[1], *matrix.fields(*cell[1:])))
                answer = pipe.answer()
            passed += check(matrix, cell, answer)
    assert passed > 0


def upgrade(matrix, path, host, origin, fetch):
    return head("GET", path, *matrix.fields(host, origin, fetch),
                "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


def test_only_pairs_of_the_list_open_a_websocket(hub, secret):
    """S1"""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    random.seed(seed)
    matrix = Matrix(hub, secret)
    stream = ("GET", "/api/v1/stream", False)
    opened = 0
    for i in range(UPGRADES):
        host = matrix.own[0] if i % 3 == 0 else random.choice(matrix.hosts)
        origin = (random.choice([None, f"http://{host}"]) if i % 6 < 2 else
                  random.choice(matrix.origins))
        fetch = random.choice(FETCHES[:3] if i % 12 < 4 else FETCHES)
        with Pipe(hub) as pipe:
            pipe.send(upgrade(matrix, stream[1], host, origin, fetch))
            answer = pipe.answer()
        may = matrix.passes(stream, host, origin, fetch)
        assert (answer.status == 101) == may, (host, origin, fetch, answer)
        opened += may
    assert 0 < opened < UPGRADES, opened


def test_no_other_route_is_a_websocket(hub, secret):
    matrix = Matrix(hub, secret)
    for method, path, _ in matrix.routes:
        if method != "GET" or path == "/api/v1/stream":
            continue
        with Pipe(hub) as pipe:
            pipe.send(upgrade(matrix, path, matrix.own[0], None, ()))
            assert pipe.answer().status != 101, path
            assert pipe.answer() is None, path


def test_a_host_is_given_once_and_as_a_field(hub, secret):
    """S1: what a proxy or a cache in front could read differently."""
    own = f"127.0.0.1:{hub.port}"
    token = f"Authorization: Bearer {secret}"
    path = "/api/v1/session/list"
    cases = {
        400: [head("GET", path, token),
              head("GET", path, token, f"Host: {own}", f"Host: {own}"),
              head("GET", path, token, f"Host: {own}", "Host: evil.com"),
              head("GET", path, token, "Host: evil.com", f"Host: {own}"),
              head("GET", path, token, f"Host : {own}"),
              head("GET", path, token, f"Host: {own}", " evil.com"),
              head("GET", f"http://{own}{path}", token, f"Host: {own}"),
              head("GET", f"http://evil.com{path}", token, f"Host: {own}"),
              head("GET", f"//{own}@{path}#", token, f"Host: {own}"),
              head("GET", path, token, f"Host: {own}", "Origin: null",
                   f"Origin: http://{own}"),
              head("GET", path, token, f"Host: {own}",
                   "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site")],
        200: [head("GET", path, token, f"Host: {own}"),
              head("GET", path, token, f"hOsT:\t{own} ")],
        421: [head("GET", path, token, "Host:"),
              head("GET", path, token, "Host: evil.com",
                   f"X-Forwarded-Host: {own}", f"X-Host: {own}",
                   f"X-Original-Host: {own}", f"Forwarded: host={own}")],
        505: [head("GET", path, token).replace(b"/1.1", b"/1.0"),
              b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    }
    for status, requests in cases.items():
        for request in requests:
            with Pipe(hub) as pipe:
                pipe.send(request)
                answer = pipe.answer()
            assert answer.status == status, (request, answer)


def test_a_name_is_allowed_by_an_option(home, secret):
    """The default allows none but loopback; the error tells the option."""
    with Home() as other, Hub(other, "--host", "build.example.net") as hub:
        token = hub.call("token/create", {})["secret"]
        for host, origin, status in [
                ("build.example.net", None, 200),
                ("build.example.net", "https://build.example.net", 200),
                ("build.example.net", "http://build.example.net", 200),
                ("build.example.net", f"http://localhost:{hub.port}", 403),
                (f"localhost:{hub.port}", "https://build.example.net", 403),
                ("build.example.net:443", None, 421),
                ("evil.example.net", None, 421)]:
            fields = [f"Host: {host}", f"Authorization: Bearer {token}"]
            if origin:
                fields.append(f"Origin: {origin}")
            answer, = ask(hub, [head("GET", "/api/v1/session/list", *fields)])
            assert answer.status == status, (host, origin, answer)
        assert b"tend hub start --host NAME" in answer.body, answer


def test_hub_sock_refuses_browsers(hub):
    for fields, status in [({}, 200), ({"Host": "anything"}, 200),
                           ({"Origin": "null"}, 403),
                           ({"Origin": f"http://127.0.0.1:{hub.port}"}, 403)]:
        reply = hub.get("/api/v1/session/list", headers=fields)
        assert reply.status == status, reply


# ---------------------------------------------------------------- the browser

PAGE = """<!doctype html><title>evil</title><body><script>
const hub = %(hub)s, said = {};
async function attempt(name, run) {
  try { said[name] = String(await run()); }
  catch (e) { said[name] = "failed"; }
}
function socket(url) {
  return new Promise(done => {
    const s = new WebSocket(url);
    s.onopen = () => done("open");
    s.onerror = () => done("failed");
  });
}
function frame(url) {
  return new Promise(done => {
    const f = document.createElement("iframe");
    f.onload = () => {
      try { done(f.contentDocument === null ? "opaque" : "readable"); }
      catch (e) { done("opaque"); }
    };
    f.src = url;
    document.body.append(f);
  });
}
function post(url) {
  return new Promise(done => {
    const form = document.createElement("form"), sink =
      document.createElement("iframe"), input = document.createElement("input");
    sink.name = "sink" + Math.random();
    form.method = "post"; form.enctype = "text/plain"; form.action = url;
    form.target = sink.name;
    input.name = '{"command":["cat"],"name":"evil","x":"'; input.value = '"}';
    form.append(input);
    document.body.append(sink, form);
    sink.onload = () => done("sent");
    form.submit();
  });
}
(async () => {
  for (const base of hub) {
    const api = base + "/api/v1/session/";
    await attempt(base + " fetch", async () =>
      (await fetch(api + "list", {credentials: "include"})).status);
    await attempt(base + " page", async () =>
      (await (await fetch(base + "/")).text()).length);
    await attempt(base + " json", async () =>
      (await fetch(api + "create", {method: "POST", body: "{}",
        headers: {"Content-Type": "application/json"}})).status);
    await attempt(base + " blind", async () =>
      (await fetch(api + "create", {method: "POST", mode: "no-cors",
        body: '{"command":["cat"],"name":"evil"}'})).type);
    await attempt(base + " socket", () =>
      socket(base.replace("http", "ws") + "/api/v1/stream"));
    await attempt(base + " frame", () => frame(base + "/login"));
    await attempt(base + " form", () => post(api + "create"));
    await attempt(base + " script", () => new Promise((ok, no) => {
      const s = document.createElement("script");
      s.onload = () => ok("ran"); s.onerror = () => no();
      s.src = base + "/login.js"; document.body.append(s);
    }));
  }
  await fetch("/report", {method: "POST", body: JSON.stringify(said)});
})();
</script><img src="/hold">"""


class Evil(http.server.ThreadingHTTPServer):
    """A web site that attacks the hub from its visitors' browsers."""

    daemon_threads = True

    def __init__(self, targets):
        super().__init__(("127.0.0.1", 0), EvilHandler)
        self.page = (PAGE % {"hub": json.dumps(targets)}).encode()
        self.said = None
        self.reported = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class EvilHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/hold":
            # The page is complete when its script is, so Chromium waits.
            self.server.reported.wait(60)
            self.reply("image/png", b"")
        else:
            self.reply("text/html", self.server.page)

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        self.server.said = json.loads(self.rfile.read(size))
        self.reply("text/plain", b"")
        self.server.reported.set()


def test_a_page_of_another_site_cannot_use_the_hub(hub):
    """S1 in Chromium: another port, and another name that points to the hub."""
    targets = [f"http://127.0.0.1:{hub.port}", f"http://localhost:{hub.port}",
               f"http://rebound.test:{hub.port}"]
    site = Evil(targets)
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    log = browser.visit(f"http://evil.test:{site.server_port}/", rules,
                        "--dump-dom", "--enable-logging=stderr")[1]
    site.shutdown()
    assert site.said, log
    print(json.dumps(site.said, indent=1))
    want = {"fetch": "failed", "page": "failed", "json": "failed",
            "blind": "opaque", "socket": "failed", "frame": "opaque",
            "form": "sent", "script": "failed"}
    for base in targets:
        for what, result in want.items():
            got = site.said[f"{base} {what}"]
            # Chromium itself may refuse what the hub would have refused.
            assert got in (result, "failed"), (base, what, got)
    assert "Refused to display" in log or "frame-ancestors" in log, log
    assert hub.call("session/list", method="GET")["sessions"] == []


def test_a_rebound_name_shows_no_page(hub):
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1"
    page = browser.visit(f"http://rebound.test:{hub.port}/", rules,
                         "--dump-dom")[0]
    assert "does not have this Host" in page, page
    own = browser.visit(f"http://localhost:{hub.port}/", "--dump-dom")[0]
    assert "does not have this Host" not in own and "tend" in own, own


# ---------------------------------------------------------------- all answers


def test_errors_of_the_parser_have_the_strict_headers(hub):
    """S6b; pipe.answer checks the headers."""
    for request, status in [(b"\r\n\r\n", 400), (b"GET / HTTP/1.0\r\n\r\n", 505),
                            (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n"
                             b"Host: x\r\n\r\n", 414),
                            (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 99 + b"\r\n",
                             431),
                            (b"GET / HTTP/1.1\r\nHost: " + b"x" * 20000, 431),
                            (b"POST / HTTP/1.1\r\nHost: x\r\n"
                             b"Transfer-Encoding: gzip\r\n\r\n", 501)]:
        with Pipe(hub) as pipe:
            pipe.send(request)
            answer = pipe.answer()
            assert answer.status == status, (request, answer)
            assert b"\r\nConnection: close\r\n" in answer.head, answer
            assert pipe.answer() is None


def test_a_busy_hub_answers_with_the_strict_headers():
    """S6b; no descriptor is left, and the hub still serves those it has."""
    with Home() as home, Hub(home) as hub:
        pid = hub.process.pid
        used = len(os.listdir(f"/proc/{pid}/fd"))
        own = f"Host: 127.0.0.1:{hub.port}"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 4, used + 4))
        pipes = [Pipe(hub) for _ in range(12)]
        busy = []
        for pipe in pipes:
            pipe.send(head("GET", "/healthz", own))
        for pipe in pipes:
            answer = pipe.answer()
            if answer is not None:
                assert answer.status in (200, 503), answer
                busy.append(answer.status)
        assert 503 in busy and 200 in busy, busy
        for pipe in pipes:
            pipe.sock.close()
        wait_for(lambda: hub.get("/healthz").status == 200, "a free hub")
        hub.process.kill()
        hub.process.wait()
