"""A home and its hub, which all tests of a file share:

    from served import home, hub
"""

import pytest

from hub import Hub
from lib import Home


@pytest.fixture(scope="module")
def home():
    with Home() as made:
        yield made


@pytest.fixture(scope="module")
def hub(home):  # noqa: F811
    with Hub(home) as made:
        yield made
