"""The commands for a hub: start, stop, status, login, install, token, share
and audit."""

import concurrent.futures
import json
import os
import re
import signal
import socket
import stat

import pytest

from hub import Hub, UnixConnection, bearer
from lib import TEND, Home, Stopwatch, is_running, tend, wait_for
from terminal import Terminal

ANY_PORT = ("--listen", "127.0.0.1:0")


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def hub(home):
    """The status of a hub that runs in the background."""
    return home.json("hub", "start", *ANY_PORT)


def get(home, path, headers=None):
    """An answer on hub.sock: its status and its JSON."""
    link = UnixConnection(home.path / "hub.sock")
    link.request("GET", path, headers=headers or {})
    answer = link.getresponse()
    body = answer.read()
    link.close()
    return answer.status, json.loads(body)


def get_tcp(status, path, headers=None):
    link = Hub.connection_to(status["url"])
    link.request("GET", path, headers=headers or {})
    answer = link.getresponse()
    body = answer.read()
    link.close()
    return answer.status, body


def log(home):
    return (home.path / "hub.log").read_text()


# ------------------------------------------------------------ start and stop

def test_a_hub_starts_serves_and_stops(home):
    status = home.json("hub", "start", *ANY_PORT)
    assert is_running(status["pid"]), status
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", status["url"]), status
    assert status["socket"] == str(home.path / "hub.sock"), status
    assert status["home"] == str(home.path), status
    assert status["fingerprint"] is None, status
    assert status["version"] == home.ok("version").split()[1], status
    assert home.json("hub", "status") == status
    assert get_tcp(status, "/healthz") == (200, b"ok\n")
    assert home.json("hub", "stop") == {"stopped": status["pid"]}
    assert not is_running(status["pid"])
    assert not (home.path / "hub.sock").exists()
    wait_for(lambda: not home.processes(), "the end of the launcher")


def test_people_see_a_table_and_the_next_step(home):
    answer = home.run("hub", "start", *ANY_PORT)
    assert answer.status == 0, answer
    lines = dict(line.split(maxsplit=1) for line in answer.text.splitlines())
    assert lines.keys() == {"url", "pid", "home", "socket", "version"}, lines
    assert lines["home"] == str(home.path), lines
    assert "'tend hub login' prints a link" in answer.err, answer
    assert home.ok("hub", "status") == answer.text


def test_a_hub_is_nobodys_child_and_has_no_terminal(home, hub):
    with open(f"/proc/{hub['pid']}/stat", encoding="utf-8") as f:
        ppid, group, session, tty = map(
            int, f.read().rpartition(")")[2].split()[1:5])
    assert tty == 0 and session == group != os.getsid(0), (ppid, session)
    assert ppid != os.getpid()
    assert os.readlink(f"/proc/{hub['pid']}/cwd") == "/"
    assert sorted(os.readlink(f"/proc/{hub['pid']}/fd/{i}")
                  for i in range(3)) == ["/dev/null"] * 3


def test_a_second_hub_is_refused(home, hub):
    error = home.error("hub", "start", *ANY_PORT, status=2, code="exists")
    assert f"pid {hub['pid']}" in error["message"], error
    assert str(home.path) in error["message"], error
    assert "'tend hub stop'" in error["message"], error
    assert home.json("hub", "status") == hub


def test_of_several_that_start_at_once_one_serves(home):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(
            lambda _: home.run("hub", "start", "--json", *ANY_PORT), range(4)))
    assert sorted(a.status for a in answers) == [0, 2, 2, 2], answers
    for answer in answers:
        if answer.status == 2:
            assert json.loads(answer.out)["error"]["code"] == "exists", answer


@pytest.mark.parametrize("args", [
    ["hub", "status"], ["hub", "stop"], ["hub", "login"], ["token", "create"],
    ["token", "list"], ["share", "list"], ["audit"]], ids=" ".join)
@pytest.mark.parametrize("is_there", [False, True])
def test_without_a_hub_the_error_says_how_to_start_one(home, args, is_there):
    if is_there:
        home.start("true")
    answer = home.run(*args)
    assert answer.status == 4 and answer.out == b"", answer
    assert answer.err == (
        f"tend {args[0]}: no hub serves the home {home.path}; 'tend hub "
        "start' starts one\n"), answer


def test_the_socket_of_a_dead_hub_is_replaced(home, hub):
    """It crashed: its socket stays, and the next one serves."""
    sid = home.start("cat")
    os.kill(hub["pid"], signal.SIGKILL)
    wait_for(lambda: not is_running(hub["pid"]), "the end of the hub")
    assert (home.path / "hub.sock").is_socket()
    home.error("hub", "status", status=4, code="not_running")
    again = home.json("hub", "start", *ANY_PORT)
    assert again["pid"] != hub["pid"]
    assert home.info(sid)["status"] == "running"
    code, body = get(home, "/api/v1/session/list")
    assert code == 200 and [s["id"] for s in body["sessions"]] == [sid], body


def test_a_taken_port_is_named(home):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        error = home.error("hub", "start", "--listen", f"127.0.0.1:{port}",
                           status=12, code="busy")
    assert f"port {port}" in error["message"], error
    assert "--listen ADDR:PORT" in error["message"], error
    assert error["retryable"] is True
    home.error("hub", "status", status=4, code="not_running")


@pytest.mark.parametrize("options, said", [
    (["--listen", "7070"], "ADDR:PORT"),
    (["--listen", "localhost:7070"], "not a numeric IP address"),
    (["--listen", "127.0.0.1:70700"], "ADDR:PORT"),
    (["--listen", "::1:7070"], "ADDR:PORT"),
    (["--listen=127.0.0.1:0"] * 5, "at most 4 addresses"),
    (["--proxy-header", "X-User"], "belong together"),
    (["--proxy-from", "127.0.0.1"], "belong together"),
    (["--proxy-header", "X User", "--proxy-from", "::1"], "name of a header"),
    (["--proxy-header", "Cookie", "--proxy-from", "::1"], "something else"),
    (["--proxy-header", "X-User", "--proxy-from", "box"], "numeric"),
    (["--proxy-header", "X-User", "--proxy-from", "::0:1"], "write it as ::1"),
    (["--tls", "cert.pem"], "CERT:KEY"),
    (["--tls", "a:b:c"], "CERT:KEY"),
    (["--scope", "observe"], "'tend hub start' has no option --scope"),
    (["now"], "unexpected argument: now")])
def test_a_wrong_option_is_explained(home, options, said):
    error = home.error("hub", "start", *options, status=2, code="usage")
    assert said in error["message"], error
    home.ok("hub", "start", *ANY_PORT)  # it is out of the way


def test_verbs_are_checked():
    answer = tend("hub")
    assert answer.status == 2 and "start, stop, status, login or install" \
        in answer.err, answer
    answer = tend("hub", "sttop")
    assert answer.status == 2 and "did you mean 'tend hub stop'?" \
        in answer.err, answer
    answer = tend("token", "frobnicate")
    assert answer.status == 2 and "create, list or revoke" in answer.err, answer


def test_an_address_may_be_ipv6_and_there_may_be_several(home):
    home.json("hub", "start", "--listen", "[::1]:0", *ANY_PORT)
    status = home.json("hub", "status")
    assert re.fullmatch(r"http://\[::1\]:\d+", status["url"]), status
    port = status["url"].rpartition(":")[2]
    assert get_tcp(status, "/healthz")[0] == 200
    code, _ = get_tcp(status, "/healthz", {"Host": f"localhost:{port}"})
    assert code == 200


def test_settings_count_unless_options_are_given(home):
    config = home.path.parent / f"{home.path.name}-state" / "config" / "tend"
    config.mkdir(parents=True)
    (config / "config.ini").write_text(
        "[hub]\nlisten = 127.0.0.2:0 127.0.0.1:0\nhost = box.example\n")
    status = home.json("hub", "start")
    port = status["url"].rpartition(":")[2]
    assert get_tcp({"url": f"http://127.0.0.2:{port}"}, "/healthz",
                   {"Host": "box.example"})[0] == 200
    home.ok("hub", "stop")
    status = home.json("hub", "start", *ANY_PORT, "--host", "other.example")
    assert status["url"].endswith(status["url"].rpartition(":")[2])
    port = int(status["url"].rpartition(":")[2])
    at = {"url": f"http://127.0.0.1:{port}"}
    assert get_tcp(at, "/healthz", {"Host": "other.example"})[0] == 200
    assert get_tcp(at, "/healthz", {"Host": "box.example"})[0] == 421
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port))


def test_a_hub_is_ready_within_a_second_with_twenty_sessions(home):
    for _ in range(20):
        home.start("cat")
    with Stopwatch() as watch:
        home.ok("hub", "start", *ANY_PORT)
        code, body = get(home, "/api/v1/session/list")
    assert code == 200 and len(body["sessions"]) == 20, body
    print(f"ready with 20 sessions after {watch.seconds:.3f} s")
    assert watch.seconds < 1, watch.seconds


def test_in_the_foreground_it_logs_to_standard_error(home):
    """As systemd runs it: one process, ended by SIGTERM with status 0."""
    with Terminal(100, 30) as term:
        term.run(TEND, "hub", "start", "-f", *ANY_PORT, env=home.env)
        term.wait_text("msg=serving")
        status = home.json("hub", "status")
        assert not (home.path / "hub.log").exists()
        os.kill(status["pid"], signal.SIGTERM)
        assert term.ended() == 0, term.text()


def test_other_commands_do_not_need_the_hub(home, hub):
    """A stopped hub that still has its socket: nothing waits for it."""
    os.kill(hub["pid"], signal.SIGSTOP)
    sid = home.start("cat")
    home.ok("send", sid, "--text", "hello")
    home.wait_text(sid, "hello")
    assert [s["id"] for s in home.json("ls")] == [sid]
    home.ok("stop", sid)
    os.kill(hub["pid"], signal.SIGCONT)


def test_the_log_has_a_limit(home):
    """At 4 MiB it becomes hub.log.1, and there is no third file."""
    (home.path / "hub.log").write_text("old line\n" * 500_000)
    (home.path / "hub.log.1").write_text("older\n")
    home.ok("hub", "start", *ANY_PORT)
    assert "msg=serving" in log(home) and len(log(home)) < 4096, log(home)[:99]
    assert (home.path / "hub.log.1").read_text().startswith("old line\n")
    for name in ("hub.log", "hub.log.1", "tend.db", "hub.lock"):
        mode = stat.S_IMODE((home.path / name).stat().st_mode)
        assert mode == 0o600 or name == "hub.log.1", (name, oct(mode))


# --------------------------------------------------------------------- login

def test_login_prints_only_the_link_for_a_program(home, hub):
    text = home.ok("hub", "login")
    assert re.fullmatch(
        re.escape(hub["url"]) + r"/login#code=tend_l_[\w-]{43}\n", text), text
    result = home.json("hub", "login", "--scope", "observe")
    assert result["url"].startswith(hub["url"]), result
    assert len(result["qr"]) > 15 and len(set(map(len, result["qr"]))) == 1


def test_login_draws_a_code_on_a_terminal(home, hub):
    with Terminal(120, 60) as term:
        term.run(TEND, "hub", "login", env=home.env)
        term.wait_text("It works once, within 60 seconds.")
        assert term.ended() == 0
        assert "█" in term.text() and "/login#code=" in term.text()


def test_a_login_works_once(home, hub):
    code = home.ok("hub", "login", "--scope", "observe,drive").strip() \
        .rpartition("=")[2]

    def log_in():
        link = Hub.connection_to(hub["url"])
        link.request("POST", "/api/v1/login", json.dumps({"code": code}),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        body = json.loads(answer.read())
        link.close()
        return answer.status, body

    status, body = log_in()
    assert status == 200 and body["scope"] == ["observe", "drive"], body
    assert log_in()[0] == 401


# --------------------------------------------------------------------- token

def test_a_token_is_made_listed_and_revoked(home, hub):
    """Shown once, scoped, expiring, revocable."""
    answer = home.run("token", "create", "--label", "ci", "--scope", "observe",
                      "--sessions", "ci/*", "--expires", "2h")
    assert answer.status == 0, answer
    secret = answer.text.strip()
    assert re.fullmatch(r"tend_t_[\w-]{43}", secret), answer
    assert "shown only this once" in answer.err, answer
    [token] = home.json("token", "list")
    assert token["label"] == "ci" and token["scope"] == ["observe"], token
    assert token["sessions"] == "ci/*" and token["principal"] is None, token
    assert f"'tend token revoke {token['id']}'" in answer.err, answer
    shown = home.ok("token", "list").splitlines()
    assert len(shown) == 2 and token["id"] in shown[1] and "ci/*" in shown[1]
    assert secret not in home.ok("token", "list")
    assert get_tcp(hub, "/api/v1/session/list", bearer(secret))[0] == 200
    assert home.ok("token", "revoke", token["id"]) == ""
    assert get_tcp(hub, "/api/v1/session/list", bearer(secret))[0] == 401
    assert home.json("token", "list") == []
    error = home.error("token", "revoke", token["id"], status=3,
                       code="not_found")
    assert "no such credential" in error["message"], error


@pytest.mark.parametrize("options, said", [
    (["--scope", "observe,fly"], "scope[1]"),
    (["--scope", ""], "scope[0]"),
    (["--expires", "soon"], "expires"),
    (["--expires", "1ms"], "expires"),
    (["--principal", "ann"], "KIND:NAME"),
    (["--principal", "owner:me"], "tend uses this kind itself"),
    (["--drive"], "unknown option --drive"),
    (["more"], "unexpected argument: more")])
def test_a_wrong_token_is_explained(home, hub, options, said):
    error = home.error("token", "create", *options, status=2, code="usage")
    assert said in error["message"], error
    assert home.json("token", "list") == []


def test_revoke_needs_an_id(home, hub):
    error = home.error("token", "revoke", status=2, code="usage")
    assert "missing argument: ID" in error["message"], error


# --------------------------------------------------------------------- share

def test_a_link_is_made_listed_and_revoked(home, hub):
    """One session, view only unless it says --drive."""
    sid = home.start("cat", options=["-n", "shown"])
    answer = home.run("share", "create", "shown", "--expires", "1h")
    assert answer.status == 0, answer
    url = answer.text.strip()
    assert url.startswith(f"{hub['url']}/login#share=tend_s_"), url
    assert "can see the session until" in answer.err, answer
    [share] = home.json("share", "list")
    assert share["scope"] == ["observe"] and share["label"] == "shown", share
    assert share["sessions"] == f"id:{sid}", share
    drive = home.json("share", "create", sid, "--drive")
    assert drive["scope"] == ["observe", "drive"], drive
    for made in home.json("share", "list"):
        home.ok("share", "revoke", made["id"])
    assert home.ok("share", "list") == ""


def test_a_link_to_no_session_is_refused(home, hub):
    error = home.error("share", "create", "nobody", status=3, code="not_found")
    assert '"nobody"' in error["message"], error
    error = home.error("share", "create", status=2, code="usage")
    assert "missing argument: SESSION" in error["message"], error


# --------------------------------------------------------------------- audit

@pytest.mark.parametrize("options, said", [
    (["--since", "soon"], "--since soon is not a time"),
    (["--since", "mark:x"], "is not a time"),
    (["--limit", "0"], "from 1 to 10000"),
    (["--limit", "many"], "from 1 to 10000"),
    (["more"], "unexpected argument: more")])
def test_a_wrong_question_to_the_audit_is_explained(home, hub, options, said):
    error = home.error("audit", *options, status=2, code="usage")
    assert said in error["message"], error


def test_the_audit_answers_with_entries(home, hub):
    """test_hub_audit.py tests its contents; here, that the filters arrive."""
    for options in ([], ["--since", "-1h"], ["--since", "2026-01-31T12:00:00Z"],
                    ["--principal", "user:ann", "--session", "x",
                     "--limit", "5"]):
        assert isinstance(home.json("audit", *options), list)


# ------------------------------------------------------------------- install

@pytest.fixture
def systemctl(home, tmp_path):
    """A stand-in that notes its arguments, and fails if a file says so."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "systemctl").write_text(
        f"#!/bin/sh\necho \"$@\" >>{tmp_path}/calls\n"
        f"[ ! -e {tmp_path}/fails ]\n")
    (bin / "systemctl").chmod(0o755)
    home.env["PATH"] = f"{bin}:{home.env['PATH']}"
    return tmp_path


def unit_path(home):
    return (home.path.parent / f"{home.path.name}-state" / "config" /
            "systemd" / "user" / "tend-hub.service")


def test_install_writes_and_starts_a_unit(home, systemctl):
    answer = home.run("hub", "install", "--listen", "127.0.0.1:8000", "--tls",
                      "self", "--host", "box.example")
    assert answer.status == 0, answer
    path = unit_path(home)
    assert answer.text.strip() == str(path), answer
    assert "loginctl enable-linger" in answer.err, answer
    text = path.read_text()
    assert text == home.ok("hub", "install", "--print", "--listen",
                           "127.0.0.1:8000", "--tls", "self", "--host",
                           "box.example")
    run = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1]
    assert run == (f'{TEND} hub start -f "--home={home.path}" '
                   '"--listen=127.0.0.1:8000" "--host=box.example" '
                   '"--tls=self"'), run
    assert "KillMode=process" in text and "WantedBy=default.target" in text
    assert (systemctl / "calls").read_text().splitlines() == [
        "--user daemon-reload", "--user enable tend-hub.service",
        "--user restart tend-hub.service"]
    # Its own unit may be replaced.
    result = home.json("hub", "install")
    assert result["started"] is True and "8000" not in path.read_text()


def test_install_prints_and_changes_nothing(home, systemctl):
    result = home.json("hub", "install", "--print", "--listen", '1"$%\\:1')
    assert result["unit"] == str(unit_path(home)), result
    assert result["started"] is False
    assert '"--listen=1\\"$$%%\\\\:1"' in result["text"], result["text"]
    assert not unit_path(home).exists()
    assert not (systemctl / "calls").exists()


def test_install_keeps_a_unit_of_the_user(home, systemctl):
    unit_path(home).parent.mkdir(parents=True)
    unit_path(home).write_text("[Service]\n")
    error = home.error("hub", "install", status=2, code="exists")
    assert str(unit_path(home)) in error["message"], error
    assert unit_path(home).read_text() == "[Service]\n"


def test_install_names_a_failure_of_systemd(home, systemctl):
    (systemctl / "fails").touch()
    error = home.error("hub", "install", status=1, code="internal")
    assert "systemctl --user daemon-reload" in error["message"], error
    assert "tend hub start" in error["message"], error


def test_install_does_not_replace_a_running_hub(home, hub, systemctl):
    error = home.error("hub", "install", status=2, code="exists")
    assert "'tend hub stop' ends it" in error["message"], error
    assert not unit_path(home).exists()
