"""The Debian package: its control files. test_package_build.py builds it."""

import os
import re

import lib

DEBIAN = lib.ROOT / "debian"


def test_the_package_has_the_version_of_the_project():
    changelog = (DEBIAN / "changelog").read_text()
    meson = (lib.ROOT / "meson.build").read_text()
    version = re.search(r"version: '(.*)'", meson)[1]
    assert changelog.startswith(f"tend ({version}) "), changelog[:40]


def test_the_package_is_built_with_what_dev_installs():
    """A library that is added in one place is needed in the other."""
    control = (DEBIAN / "control").read_text()
    fields = re.search(r"^Build-Depends:\n((?: .*\n)+)", control,
                       re.MULTILINE)[1]
    wanted = {line.split()[0].rstrip(",") for line in fields.splitlines()}
    dev = (lib.ROOT / "dev").read_text()
    has = set(re.search(r"packages_build=\(([^)]*)\)", dev)[1].split())
    essential = {"gcc", "libc6-dev", "ninja-build"}  # come with the others
    assert wanted - {"debhelper-compat"} == has - essential, wanted ^ has


def test_no_script_runs_at_installation():
    """There is no maintainer script, so none can end a session."""
    assert {path.name for path in DEBIAN.iterdir()} == {
        "changelog", "control", "copyright", "rules", "source"}
    assert os.access(DEBIAN / "rules", os.X_OK)


def test_no_unit_is_enabled_at_installation():
    """debhelper would enable the hub's unit for every user (S15)."""
    rules = (DEBIAN / "rules").read_text()
    assert re.search(r"^override_dh_installsystemduser:\n\n", rules,
                     re.MULTILINE), rules
