"""`./dev` installs the packages that a task needs, and no more.

The machine has no package here: dpkg-query knows none, and apt-get records the
packages requested.
"""

import os
import shutil
import subprocess

import pytest

import lib

# Packages for building, and those only for tests, measurements and checks.
TOOLS = {"gcc", "meson", "ninja-build", "node-llhttp", "pkgconf", "python3",
         "scdoc"}
FOR_TESTS = {"busybox", "chromium", "clang-format", "fish", "htop",
             "libcmocka-dev", "man-db", "openssh-server", "python3-pytest",
             "strace", "sudo", "systemd", "tmux", "vim", "zsh"}


@pytest.fixture
def asked(tmp_path):
    """The packages installed for a command of ./dev, which ends there."""
    bare = tmp_path / "bin"
    bare.mkdir()
    for name, script in (("dpkg-query", "exit 1"),
                         ("apt-get", f'echo "$@" >>{tmp_path}/asked; '
                                     'case "$*" in *install*) exit 1; esac')):
        program = bare / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    shutil.copy(lib.ROOT / "dev", tmp_path / "dev")

    def ask(*command):
        done = subprocess.run(
            [tmp_path / "dev", *command], capture_output=True, text=True,
            timeout=60, env={**os.environ, "PATH": f"{bare}:{os.environ['PATH']}"})
        assert done.returncode == 1, done
        install = (tmp_path / "asked").read_text().splitlines()[-1].split()
        assert "install" in install, done
        return {word for word in install[install.index("install") + 1:]
                if not word.startswith("-")}
    return ask


def test_run_installs_only_what_building_and_running_need(asked):
    names = asked("run")
    assert names >= TOOLS, names
    assert not names & FOR_TESTS, names & FOR_TESTS
    assert all(name in TOOLS or name.endswith("-dev") for name in names), names


def test_installing_needs_what_running_needs(asked):
    assert asked("install") == asked("run")


def test_the_tests_have_packages_of_their_own(asked):
    assert asked("test") >= TOOLS | FOR_TESTS
