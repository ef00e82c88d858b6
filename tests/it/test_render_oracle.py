"""The text of `tend render` equals another terminal's final text."""

import json
import sys
import types

import pytest

import lib
from lib import RECORDINGS, shows

sys.path.insert(0, str(lib.ROOT / "tests" / "oracle"))
import compare  # noqa: E402
import policies  # noqa: E402

NODE = lib.ROOT / "node_modules" / ".bin" / "node"
ORACLE = lib.ROOT / "tests" / "oracle" / "oracle.mjs"
VT_DUMP = lib.BUILD / "tests" / "oracle" / "vt_dump"


@pytest.fixture(scope="module")
def comparison():
    oracle = compare.Side("oracle", [str(NODE), str(ORACLE)])
    subject = compare.Side("subject", [str(VT_DUMP)])
    yield compare.Comparison(oracle, subject, types.SimpleNamespace(chunk=4096))
    oracle.close()
    subject.close()


def text(rows):
    return "".join(row["t"].rstrip(" ") + "\n" for row in rows)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_ends_with_the_same_text(comparison, path):
    case = compare.load_cast(path)
    _, theirs, ours = comparison.states(case, compare.borders(case)[-1:])
    oracle = json.loads(theirs[-1])
    policies.normalise(oracle, json.loads(ours[-1]))
    assert shows("render", path) == text(oracle["lines"])
    above = [] if oracle["alt"] else oracle["scrollback"]
    assert shows("render", "--scrollback", path) == \
        text(above + oracle["lines"])
