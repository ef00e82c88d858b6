"""Where we differ from the oracle on purpose.

Each policy has a name, the reason, and one or both of

    without     names of generate.py's features that are not generated
    normalise   normalise(oracle, ours) changes two dumps (parsed JSON) in
                place, so that what may differ no longer does

and `pinned` names the test that holds our own behaviour still.  To add one:
add a row, and the test.  A policy without a reason is a bug.
"""

import dataclasses
from typing import Callable, Optional


@dataclasses.dataclass(frozen=True)
class Policy:
    name: str
    reason: str
    pinned: str
    without: tuple = ()
    normalise: Optional[Callable] = None


POLICIES = ()

# Features that are never generated, because there the oracle is no oracle.
ORACLE_FAULTS = {
    "no_wrap_wide": "with DECAWM off a wide character at the margin moves the "
                    "cursor into the middle of another one, and whether its "
                    "halves are cleared depends on where the input is cut",
    "erase_above_edge": "ED 1 in the last column looks for the next row at an "
                        "index without the scrollback, and throws when there "
                        "is no row",
}


def features_left_out():
    chosen = {name for policy in POLICIES for name in policy.without}
    return chosen | set(ORACLE_FAULTS)


def normalise(oracle, ours):
    for policy in POLICIES:
        if policy.normalise:
            policy.normalise(oracle, ours)
