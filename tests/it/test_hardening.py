"""The programs as they are built for use: the results of the linker.

Only in builds with the flags of a release; docs/hardening.md gives the
reasons.
"""

import platform
import re
import subprocess

import pytest

import lib

# DESIGN: heavy libraries are loaded elsewhere; the keeper has libc alone, and
# only the hub has those of the network and the database.
NEEDED = {
    "tend-hub": {"libc.so.6", "libcrypto.so.3", "libjansson.so.4",
                 "libpcre2-8.so.0", "libqrencode.so.4", "libsqlite3.so.0",
                 "libssl.so.3", "libuv.so.1", "libwslay.so.1",
                 "libzstd.so.1"},
    "tend": {"libc.so.6", "libjansson.so.4", "libpcre2-8.so.0",
             "libzstd.so.1"},
    "tend-host": {"libc.so.6", "libjansson.so.4", "libpcre2-8.so.0",
                  "libuv.so.1", "libzstd.so.1"},
    "tend-keeper": {"libc.so.6"},
}

# Another program may use libm; the keeper must not.
MAY_NEED = {"tend": {"libuv.so.1", "libm.so.6"}, "tend-host": {"libm.so.6"},
            "tend-keeper": set(), "tend-hub": {"libm.so.6"}}


def tool(*args):
    done = subprocess.run([*args], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(params=NEEDED)
def program(request):
    return lib.BUILD / "src" / request.param


def test_programs_need_only_the_listed_libraries(program):
    dynamic = tool("readelf", "-dW", program)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    name = program.name
    assert NEEDED[name] <= needed <= NEEDED[name] | MAY_NEED[name], needed


def test_programs_are_position_independent_and_bound_at_once(program):
    """PIE, full RELRO, and libraries only from the system's places."""
    assert re.search(r"Type:\s+DYN", tool("readelf", "-hW", program))
    dynamic = tool("readelf", "-dW", program)
    flags = re.search(r"\(FLAGS_1\)\s+Flags: (.*)", dynamic)[1].split()
    assert {"NOW", "PIE"} <= set(flags), dynamic
    for wrong in ("RPATH", "RUNPATH", "TEXTREL"):
        assert wrong not in dynamic, dynamic
    assert "GNU_RELRO" in tool("readelf", "-lW", program)


def test_no_memory_is_both_written_and_run(program):
    segments = re.findall(
        r"^  (\w+)\s+0x\S+ 0x\S+ 0x\S+ 0x\S+ 0x\S+ ([RWE ]{3})",
        tool("readelf", "-lW", program), re.MULTILINE)
    assert len(segments) > 8, segments
    for kind, flags in segments:
        assert not ("W" in flags and "E" in flags), (kind, flags)
    assert dict(segments)["GNU_STACK"].strip() == "RW", segments


def test_stack_and_buffers_are_guarded(program):
    """The canary's failure function, and at least one call that knows its
    buffer."""
    symbols = set(re.findall(r" U (\w+)", tool("nm", "-D", program)))
    assert "__stack_chk_fail" in symbols, symbols
    guarded = {name for name in symbols
               if re.fullmatch(r"__\w+_chk", name)}
    assert guarded, symbols


def test_unbounded_calls_are_not_linked(program):
    """The sources do not call these, and no inline function of theirs does."""
    symbols = set(re.findall(r" U (\w+)", tool("nm", "-D", program)))
    wrong = {"strcpy", "strcat", "sprintf", "gets", "system", "popen",
             "tmpnam", "mktemp", "__strcpy_chk", "__strcat_chk",
             "__sprintf_chk", "dlopen"}
    assert not symbols & wrong, symbols & wrong


def test_main_is_marked_as_a_branch_target_on_x86(program):
    """-fcf-protection, which x86 has: an indirect call elsewhere ends the
    program if processor and kernel support it."""
    code = tool("objdump", "-d", "--no-show-raw-insn", "--disassemble=main",
                program)
    begin = re.search(r"<main>:\n\s+\w+:\s+(\w+)", code)
    assert begin, code[:400]
    marked = begin[1] == "endbr64"
    assert marked == (platform.machine() == "x86_64"), code[:400]
