"""Let skipped tests fail, and tests with an empty list of cases too.  And a
home for each test that has no other."""

import pytest

from lib import Home


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped: {call.excinfo.value}"
