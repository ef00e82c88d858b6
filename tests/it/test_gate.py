"""The gate: `./dev test` over a small project whose tests fail on request.

The project has the real `dev`, `.ci/run` and tools/testlog.py, and meson
builds it as the real one.  Its tests are shell scripts.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

import lib

MESON = """project('tiny', 'c')
executable('program', 'src/program.c')
sh = find_program('sh')
foreach name : {names}
  test(name, sh, args: files('tests' / name + '.sh'))
endforeach
"""

PROGRAM = "int\nmain(void)\n{\n\treturn 0;\n}\n"
WARNS = "int\nmain(void)\n{\n\tint unused;\n\treturn 0;\n}\n"

# Each runs in the build directory, and leaves files there for the next run.
SCRIPTS = {
    "good": "echo all is well",
    "once": "echo 'ok release-gcc it/forged'\n"
            "test -e once.mark && { echo second try; exit 0; }\n"
            "touch once.mark; echo first try >&2; exit 1",
    "once_more": "test -e more.mark || { touch more.mark; exit 1; }\n"
                 "date +%s%N >>alone; ls >/dev/null; date +%s%N >>alone",
    "once_too": "test -e too.mark || { touch too.mark; exit 1; }\n"
                "date +%s%N >>alone; ls >/dev/null; date +%s%N >>alone",
    "twice": "echo x >>twice.mark; echo try $(wc -l <twice.mark); exit 1",
    "skipped": "exit 77",
    # It kills meson, and all that meson would have reported.
    "lost_first": "test -e lost.mark || { touch lost.mark; kill -9 $PPID; }",
    "lost_always": "kill -9 $PPID",
    **{f"broken_{i}": "exit 1" for i in range(9)},
}

VARIANTS = ("release-gcc", "asan-gcc")


class Tiny:
    """The project, and the output of ./dev for it."""

    def __init__(self, path):
        self.path = path
        for folder in ("src", "tests", "tools", ".ci", "node_modules"):
            (path / folder).mkdir()
        for name in ("dev", ".ci/run", "tools/testlog.py", ".clang-format",
                     "meson_options.txt", "package-lock.json"):
            shutil.copy(lib.ROOT / name, path / name)
        shutil.copy(path / "package-lock.json",
                    path / "node_modules" / ".tend-lock")
        self.write("src/program.c", PROGRAM)
        for name, text in SCRIPTS.items():
            self.write(f"tests/{name}.sh", text + "\n")
        self.write("meson.build", MESON.format(names=list(SCRIPTS)))

    def write(self, name, text):
        (self.path / name).write_text(text)

    def start_again(self):
        """No test has been run yet, and nothing is wrong with the sources."""
        for variant in VARIANTS:
            for path in (self.path / "build" / variant).glob("*.mark"):
                path.unlink()
            (self.path / "build" / variant / "alone").unlink(missing_ok=True)
        self.write("src/program.c", PROGRAM)

    def run(self, *command):
        env = {key: value for key, value in os.environ.items()
               if key not in ("CI", "TEND_TEST_FULL", "MAKEFLAGS")}
        done = subprocess.run([self.path / command[0], *command[1:]], env=env,
                              capture_output=True, text=True, timeout=500)
        return Report(done)


class Report(str):
    """The output of a run and its status; a string, so that pytest shows all
    of it when an assertion fails."""

    def __new__(cls, done):
        report = super().__new__(cls, f"status {done.returncode}\n"
                                 f"{done.stdout}\nstderr:\n{done.stderr}")
        report.status = done.returncode
        report.out = done.stdout
        report.err = done.stderr
        report.lines = done.stdout.splitlines()
        return report

    def verdicts(self, word):
        """The names after a verdict, in order."""
        found = [re.match(rf"{word} ([^(]*[^( ])", line)
                 for line in self.lines]
        return [match[1] for match in found if match]

    def below(self, word, name):
        """The text below the verdict of a test."""
        start = next(i for i, line in enumerate(self.lines)
                     if line.startswith(f"{word} {name} "))
        below = []
        for line in self.lines[start + 1:]:
            if not line.startswith(" "):
                break
            below.append(line)
        return "\n".join(below)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return Tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def tiny(built):
    built.start_again()
    return built


def test_a_test_that_passes_the_second_time_is_flaky_and_the_run_is_green(tiny):
    report = tiny.run("dev", "test", "--ci", "good", "once")
    assert report.status == 0, report
    flaky = [f"{variant} {name}" for variant in VARIANTS
             for name in ("once", "once_more", "once_too")]
    assert report.verdicts("FLAKY") == flaky, report
    assert report.verdicts("FAIL") == [], report
    assert report.verdicts("ok") == [f"{v} good" for v in VARIANTS], report
    said = report.below("FLAKY", "release-gcc once")
    assert re.fullmatch(
        r"  the first time:\n.*first try\n  again, alone:\n.*second try",
        said, re.DOTALL), report
    assert report.lines[-2] == f"flaky: {', '.join(flaky)}", report
    assert report.lines[-1] == "8 passed, 0 failed", report


def test_a_test_that_is_run_again_runs_alone(tiny):
    report = tiny.run("dev", "test", "--ci", "once_more", "once_too")
    assert report.status == 0 and len(report.verdicts("FLAKY")) == 4, report
    for variant in VARIANTS:
        times = (tiny.path / "build" / variant / "alone").read_text().split()
        assert len(times) == 4 and times == sorted(times), times


def test_a_test_that_fails_twice_has_failed(tiny):
    report = tiny.run("dev", "test", "--ci", "good", "twice", "skipped")
    assert report.status == 1, report
    assert report.verdicts("FAIL") == [
        f"{variant} {name}" for variant in VARIANTS
        for name in ("skipped", "twice")], report
    said = report.below("FAIL", "asan-gcc twice")
    assert re.fullmatch(r"  the first time:\n.*try 1\n  again, alone:\n.*try 2",
                        said, re.DOTALL), report
    assert not re.search("^flaky", report.out, re.MULTILINE), report
    assert report.lines[-1] == "2 passed, 4 failed", report


def test_a_test_that_did_not_run_has_failed(tiny):
    report = tiny.run("dev", "test", "--ci", "lost_always")
    assert report.status == 1, report
    for variant in VARIANTS:
        assert (f"FAIL {variant} lost_always (did not run; again, alone: did "
                "not run)") in report.lines, report
    assert report.lines[-1] == "0 passed, 2 failed", report


def test_a_test_that_did_not_run_at_first_is_run_again(tiny):
    report = tiny.run("dev", "test", "--ci", "lost_first")
    assert report.status == 0, report
    assert report.verdicts("FLAKY") == [f"{v} lost_first"
                                        for v in VARIANTS], report
    assert re.search(r"^FLAKY release-gcc lost_first \(did not run; again, "
                     r"alone: OK", report.out, re.MULTILINE), report


def test_many_failures_are_not_run_again(tiny):
    report = tiny.run("dev", "test", "--ci", "broken", "once_too")
    assert report.status == 1, report
    assert len(report.verdicts("FAIL")) == 20, report
    assert report.verdicts("FLAKY") == [], report
    assert "too many to run again" in report.err, report
    assert report.lines[-1] == "0 passed, 20 failed", report


def test_before_a_commit_nothing_is_run_again(tiny):
    report = tiny.run("dev", "test", "good", "once_too")
    assert report.status == 1, report
    assert report.verdicts("FAIL") == ["release-gcc once_too"], report
    assert report.lines[-1] == "1 passed, 1 failed", report


def test_each_part_reports_its_duration(tiny):
    report = tiny.run(".ci/run")
    assert report.status == 1, report  # of a project that has no src/LAYERS
    times = [line for line in report.lines if line.startswith("time: ")]
    assert times == report.lines[-len(times) - 1:-1], report
    parts = [re.fullmatch(r"time: (.*) \d+:[0-5]\d min", line)[1]
             for line in times]
    assert parts == [*(f"{variant} {what}" for variant in VARIANTS
                       for what in ("build", "test")), "lints", "all"], report
    lints = [name for word in ("ok", "FAIL") for name in report.verdicts(word)
             if name.startswith("lint_")]
    assert {"lint_layout", "lint_layers", "lint_sleeps", "lint_headers",
            "lint_scripts"} <= set(lints), report


def test_a_failing_lint_fails_the_gate(tiny):
    report = tiny.run("dev", "test", "--ci", "lint_layout")
    assert report.status == 0, report
    assert report.lines[-1] == "1 passed, 0 failed", report
    tiny.write("src/program.c", PROGRAM.replace("\t", "  "))
    report = tiny.run("dev", "test", "--ci", "lint_layout")
    assert report.status == 1, report
    assert "code should be clang-formatted" in report.out, report
    assert report.lines[-1] == "0 passed, 1 failed", report


def test_a_warning_is_an_error_in_the_gate(tiny):
    tiny.write("src/program.c", WARNS)
    report = tiny.run("dev", "test", "good")
    assert report.status == 0 and "unused" in report.err, report
    report = tiny.run("dev", "test", "--ci", "good")
    assert report.status == 1, report
    assert report.verdicts("FAIL") == [
        "build of release with gcc", "build of asan with gcc"], report
    assert report.lines[-1] == "0 passed, 2 failed", report


def test_an_unknown_test_name_is_refused(tiny):
    report = tiny.run("dev", "test", "--ci", "no-such-test")
    assert report.status == 2, report
    assert "no test has such a name: no-such-test" in report.err, report


# ------------------------------------------------- tests that cannot fail

def claims(path, **tests):
    """The output of tools/claims.py for a project with these tests."""
    for folder in ("it", "unit"):
        (path / "tests" / folder).mkdir(parents=True, exist_ok=True)
    (path / "tests/it/test_it.py").write_text(tests.get("python", "")
                                              + "def test_a():\n    assert f()\n")
    (path / "tests/meson.build").write_text(tests.get("meson", "'test_it'"))
    (path / "tests/unit/unit.c").write_text(
        tests.get("c", "") + "static void\nb(void **state)\n{\n\tassert_true(1)"
        ";\n}\n\ncmocka_unit_test(b)\n")
    done = subprocess.run([sys.executable, lib.ROOT / "tools" / "claims.py",
                           path], capture_output=True, text=True, timeout=60)
    return Report(done)


@pytest.mark.parametrize("kind, text, said", [
    ("python", "def test_x():\n    print(1)\n", "test_x claims nothing"),
    ("python", "def test_x():\n    if g():\n        return\n    assert f()\n",
     "test_x returns before it has claimed anything"),
    ("python", "def test_x():\n    pytest.skip()\n", "skip: a test that is"),
    ("c", "static void\nx(void **state)\n{\n\tprintf();\n}\n\n"
     "cmocka_unit_test(x)\n", "x claims nothing"),
    ("meson", "'test_other'", "tests/it/test_it.py: no meson.build runs it"),
])
def test_a_test_that_cannot_fail_is_found(tmp_path, kind, text, said):
    report = claims(tmp_path, **{kind: text})
    assert report.status == 1 and said in report.out, report
    report = claims(tmp_path)
    assert report.status == 0, report


@pytest.mark.parametrize("text", [
    "@pytest.mark.parametrize('x', [])\ndef test_x(x):\n    assert x\n",
    "def test_x():\n    pytest.skip('not today')\n"])
def test_a_test_that_is_skipped_fails(tmp_path, text):
    shutil.copy(lib.ROOT / "tests/it/conftest.py", tmp_path)
    (tmp_path / "test_x.py").write_text("import pytest\n" + text)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p",
                           "no:cacheprovider", tmp_path], capture_output=True,
                          text=True, timeout=60,
                          env={**os.environ,
                               "PYTHONPATH": str(lib.ROOT / "tests/it")})
    assert done.returncode == 1 and "was skipped" in done.stdout, Report(done)
