"""The checker of answers refuses answers that differ from their declaration."""

import re

import pytest

import declared
import lib
from lib import Home

GOOD = {
    "session.send": {"seq": 3, "offset": 9},
    "session.resize": {"cols": 80, "rows": 24, "seq": 3},
    "lease.acquire": {"holder": None, "mine": False, "idle_ms": 1},
    "session.stop": {},
    "home.list": {"homes": []},
}


@pytest.mark.parametrize("op", GOOD)
def test_a_result_as_declared_passes(op):
    declared.check_operation(op, GOOD[op])


@pytest.mark.parametrize("op, result, named", [
    ("session.send", {"seq": 3}, "offset"),
    ("session.send", {"seq": 3, "offset": None}, "offset"),
    ("session.send", {"seq": "3", "offset": 9}, "seq"),
    ("session.send", {"seq": True, "offset": 9}, "seq"),
    ("session.send", {"seq": 3, "offset": 9, "more": 1}, "more"),
    ("session.send", [], "result"),
    ("lease.acquire", {"holder": 7, "mine": False, "idle_ms": 1}, "holder"),
    ("session.marks", {"marks": [{"seq": 1}]}, "marks[0]"),
    ("session.marks", {"marks": {}}, "marks"),
    ("session.environment", {"variables": {"A": 7}}, "variables.A"),
    ("session.prompt", {"result": "done"}, "result"),
    ("home.list", {}, "homes"),
    ("session.stop", {"id": "x"}, "id"),
])
def test_a_result_that_differs_is_refused(op, result, named):
    with pytest.raises(AssertionError) as caught:
        declared.check_operation(op, result)
    assert op in str(caught.value) and named in str(caught.value)


def test_an_error_has_a_known_code():
    error = {"code": "busy", "message": "x", "retryable": True, "details": {}}
    declared.check_error("x", error)
    for wrong in ({"code": "no_such"}, {"retryable": None}, {"details": 7}):
        with pytest.raises(AssertionError):
            declared.check_error("x", {**error, **wrong})


def test_every_command_has_a_declared_answer():
    """Those of the help, and no others."""
    listed = lib.shows("--help")
    for command in declared.SCHEMAS["commands"]:
        assert f"\n  {command} " in listed, command
    with Home() as home:
        declared.check_command({"ok": True, "command": "ls",
                                "result": home.json("ls")})
    with pytest.raises(AssertionError):
        declared.check_command({"ok": True, "command": "ls", "result": {}})


def operations_of(command):
    """Those of src/op/commands.def."""
    text = (lib.ROOT / "src/op/commands.def").read_text()
    row = re.search(rf'^COMMAND\({command},\s*((?:"[^"]*"\s*)+),', text, re.M)
    return set("".join(re.findall(r'"([^"]*)"', row[1])).split())


def test_attach_declares_the_operations_that_it_uses():
    """Those that its sources name, and the list of the picker."""
    used = {name for path in [*(lib.ROOT / "src/client").glob("*.c"),
                              *(lib.ROOT / "src/cmd/attach").glob("*.c")]
            for name in re.findall(r'"((?:session|lease)\.[a-z_]+)\\?"',
                                   path.read_text())}
    assert operations_of("attach") == used | {"session.list"}
