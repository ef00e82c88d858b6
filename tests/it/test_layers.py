"""tools/layers.py over small trees of sources, each with one fault or none."""

import subprocess
import sys

import lib

LAYERS = "low:\nmiddle: low\ntop: low middle\n"

SOURCES = {
    "low/base.h": "",
    "low/base.c": '#include "low/base.h"\n',
    "middle/part.h": '#include "low/base.h"\n',
    "middle/part.c": '#include "middle/part.h"\n',
    "top/all.c": '#include "middle/part.h"\n#include "low/base.h"\n',
}


def check(path, layers=LAYERS, sources=()):
    """The exit status and the complaints about these sources."""
    for name, text in {**SOURCES, **dict(sources)}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    (path / "LAYERS").write_text(layers)
    done = subprocess.run([sys.executable, lib.ROOT / "tools/layers.py", path],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_sources_that_keep_the_rules_pass(tmp_path):
    assert check(tmp_path) == (0, "")


def test_an_include_of_a_folder_above_is_refused(tmp_path):
    status, said = check(tmp_path, sources={
        "low/base.c": '#include "middle/part.h"\n'})
    assert status == 1
    assert "low may not include middle" in said


def test_rules_that_form_a_circle_are_refused(tmp_path):
    status, said = check(tmp_path, layers="low: top\nmiddle: low\n"
                                          "top: low middle\n")
    assert status == 1
    assert "rules that form a circle: low middle top" in said


def test_two_folders_that_may_include_each_other_are_refused(tmp_path):
    status, said = check(tmp_path, layers="low: middle\nmiddle: low\n"
                                          "top: low middle\n")
    assert status == 1
    assert "rules that form a circle: low middle" in said


def test_modules_that_include_each_other_are_refused(tmp_path):
    status, said = check(tmp_path, sources={
        "low/base.c": '#include "low/other.h"\n',
        "low/other.h": '#include "low/base.h"\n'})
    assert status == 1
    assert "include each other in a circle: low/base low/other" in said


def test_the_files_of_one_module_may_include_each_other(tmp_path):
    assert check(tmp_path, sources={
        "low/base_state.h": '#include "low/base.h"\n',
        "low/base_more.c": '#include "low/base_state.h"\n',
    }) == (0, "")


def test_an_include_with_angle_brackets_is_refused(tmp_path):
    status, said = check(tmp_path, sources={
        "low/base.c": "#include <middle/part.h>\n#include <sys/stat.h>\n"})
    assert status == 1
    assert "<middle/part.h> is one of our files" in said
    assert "sys/stat.h" not in said


def test_a_folder_inside_another_needs_a_rule_of_its_own(tmp_path):
    status, said = check(tmp_path, sources={
        "middle/deep/new.c": '#include "low/base.h"\n'})
    assert status == 1
    assert "LAYERS has no rule for middle/deep" in said


def test_an_include_from_a_folder_without_a_rule_is_refused(tmp_path):
    status, said = check(tmp_path, sources={
        "top/all.c": '#include "middle/part.h"\n#include "low/base.h"\n'
                     '#include "low/deep/new.h"\n'})
    assert status == 1
    assert "top may not include low/deep" in said


def test_a_table_may_not_include_a_folder_above(tmp_path):
    status, said = check(tmp_path, sources={
        "low/rows.def": '#include "middle/part.h"\n'})
    assert status == 1
    assert "low may not include middle" in said


def test_a_circle_through_a_table_is_refused(tmp_path):
    status, said = check(tmp_path, sources={
        "low/base.h": '#include "low/rows.def"\n',
        "low/rows.def": '#include "low/base.h"\n'})
    assert status == 1
    assert "in a circle: low/base low/rows.def" in said


def test_a_table_that_its_own_module_includes_is_no_circle(tmp_path):
    assert check(tmp_path, sources={
        "low/base.h": '#include "low/base.def"\n',
        "low/base.def": ""}) == (0, "")


def test_a_rule_that_no_include_uses_is_refused(tmp_path):
    status, said = check(tmp_path, layers="low:\nside: low\nmiddle: low\n"
                                          "top: low middle side\n")
    assert status == 1
    assert "no file of top includes side" in said
