"""/openapi.json: valid, complete, and good enough to generate a client."""

import json
import re
import shutil
import subprocess

import pytest

import declared

from lib import ROOT
from served import home, hub
from test_hub_api import operations

BIN = ROOT / "node_modules" / ".bin"
IT = ROOT / "tests" / "it"

PERMISSIONS = {"observe", "drive", "control", "create", "approve", "admin"}


def run(*command, **kwargs):
    """Run a program that must succeed; its standard output."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          **kwargs)
    assert done.returncode == 0, (command, done.stdout[-4000:],
                                  done.stderr[-4000:])
    return done.stdout


@pytest.fixture(scope="module")
def openapi(hub):
    """Nobody needs a credential for it."""
    reply = hub.get("/openapi.json", unix=False)
    assert reply.status == 200, reply
    assert reply.headers["Content-Type"] == "application/json", reply
    return reply.json


def test_the_description_is_valid_openapi(openapi):
    """A validator of npm checks it, and follows all references."""
    said = json.loads(run(BIN / "node", IT / "openapi_validate.mjs",
                          input=json.dumps(openapi), cwd=ROOT))
    assert said["valid"] is True and said["version"] == "3.1", said


def test_the_validator_finds_a_mistake(openapi):
    wrong = json.loads(json.dumps(openapi))
    wrong["paths"]["/api/v1/session/get"]["post"]["responses"]["200"] = 7
    said = json.loads(run(BIN / "node", IT / "openapi_validate.mjs",
                          input=json.dumps(wrong), cwd=ROOT))
    assert said["valid"] is False, said


def test_every_operation_is_described_with_its_permission(openapi):
    """The pages and the description come from the same table."""
    text = (ROOT / "docs" / "operations.md").read_text()
    for name in operations():
        path = openapi["paths"]["/api/v1/" + name.replace(".", "/")]
        page = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        permission = re.search(r"^\| permission \| (\w+) \|$", page, re.M)[1]
        assert ("get" in path) <= (permission == "observe"), name
        for method in path.values():
            assert method["x-tend-permission"] == permission, name
            assert method["summary"], name
            assert {"200", "4XX", "5XX"} <= set(method["responses"]), name
    assert "get" in openapi["paths"]["/api/v1/session/wait"]


def test_arguments_and_results_are_those_of_the_table(openapi):
    """Compared with schemas.json, which the answers are checked against."""
    for name in operations():
        post = openapi["paths"]["/api/v1/" + name.replace(".", "/")]["post"]
        own = declared.SCHEMAS["operations"][name]
        answer = post["responses"]["200"]["content"]["application/json"]
        text = json.dumps(answer["schema"]).replace("#/components/schemas/",
                                                    "#/$defs/")
        assert json.loads(text) == own["result"], name
        if "application/json" not in post["requestBody"]["content"]:
            continue
        taken = post["requestBody"]["content"]["application/json"]["schema"]
        given = set(taken["properties"]) - {"session"}
        assert given == set(own["arguments"]["properties"]) - {"session"}, name


def test_every_route_is_described_and_answers(openapi, hub):
    """No route exists without a summary; those for anybody say so."""
    for path, methods in openapi["paths"].items():
        for method, route in methods.items():
            assert route["summary"] not in ("", path), path
            reply = hub.request(method.upper(), path, unix=False)
            if "security" not in route:
                assert reply.status == 401, reply
                continue
            assert route["security"] == [], path
            if method == "get":
                assert reply.status in (200, 503), reply
                kind = reply.headers["Content-Type"].partition(";")[0]
                assert kind in route["responses"]["200"]["content"], reply


def test_the_kinds_of_credentials_are_described(openapi):
    kinds = openapi["components"]["securitySchemes"]
    assert kinds["token"]["scheme"] == "bearer"
    assert kinds["page_key"]["name"] == "X-Tend-Key"
    assert re.fullmatch("tend-[0-9a-f]{8}", kinds["cookie"]["name"]), kinds
    assert openapi["security"] == [{"token": []},
                                   {"cookie": [], "page_key": []}]


def test_a_generated_client_drives_a_session(openapi, home, hub, tmp_path):
    """Nothing but the description is known to the generator; the program that
    uses the client is also checked against the generated types."""
    (tmp_path / "openapi.json").write_text(json.dumps(openapi))
    run(BIN / "node", IT / "openapi_generate.mjs", tmp_path / "openapi.json",
        tmp_path / "generated", cwd=ROOT)
    program = tmp_path / "openapi_client.mts"
    shutil.copy(IT / "openapi_client.mts", program)
    run(BIN / "tsc", "--noEmit", "--strict", "--skipLibCheck", "--target",
        "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "nodenext",
        "--allowImportingTsExtensions", program, cwd=tmp_path)
    token = hub.call("token/create", {"scope": [
        "observe", "drive", "control", "create"]})["secret"]
    seen = json.loads(run(BIN / "node", "--no-warnings", program, hub.url,
                          token, cwd=tmp_path))
    for name, op in (("made", "create"), ("sent", "send"), ("waited", "wait"),
                     ("screen", "snapshot"), ("done", "exec"), ("got", "get"),
                     ("stopped", "stop"), ("listed", "list")):
        declared.check_operation(f"session.{op}", seen[name])
    assert seen["again"] == seen["sent"], seen
    assert seen["waited"]["matched"] is True, seen
    assert "hello" in seen["screen"]["lines"], seen
    assert seen["done"]["exit_code"] == 1 and seen["done"]["output"] == "out\n"
    assert seen["stopped"]["status"] == "exited", seen
    assert seen["listed"]["sessions"][0]["id"] == seen["made"]["id"], seen
    assert seen["problem"]["code"] == "not_found", seen
    typed = [e for e in home.events(seen["made"]["id"], "input")
             if e.get("key") == "generated"]
    assert len(typed) == 1, typed
