"""Disks that are small and run full, and disks that hang."""

import contextlib
import errno
import fcntl
import itertools
import os
import shutil
import struct
import subprocess

import pytest

from lib import Home, wait_for


def mount(*args):
    subprocess.run(["mount", *map(str, args)], check=True)


def home_on(place):
    """A home on the disk that is mounted there."""
    path = place / "home"
    path.mkdir(mode=0o700)
    home = Home(path)
    home.env["TEND_MIN_FREE"] = "0"
    return home


@contextlib.contextmanager
def in_memory(place, options):
    """A home on a disk without delays."""
    place.mkdir()
    mount("-t", "tmpfs", "-o", f"{options},mode=0700", "tmpfs", place)
    try:
        with home_on(place) as made:
            yield made
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def small(tmp_path):
    """A home on a disk of 3 MiB and 200 files."""
    with in_memory(tmp_path / "disk", "size=3m,nr_inodes=200") as made:
        yield made


@pytest.fixture
def quick(tmp_path_factory):
    """A home on a disk that never delays a flood: on it the program continues,
    and the log has a gap."""
    place = tmp_path_factory.mktemp("quick") / "disk"
    with in_memory(place, "size=1g") as made:
        yield made


def fill(home, leave=0):
    """Leave so many bytes of room and no more; returns the file that fills
    it."""
    path = home.path.parent / "ballast"
    with open(path, "ab", buffering=0) as out:
        for size in (1 << 16, 4096, 1):
            try:
                while True:
                    out.write(bytes(size))
            except OSError:
                pass
        out.truncate(out.tell() - leave)
    return path


def fill_names(home):
    """Let there be room, but for no other file."""
    place = home.path.parent / "names"
    place.mkdir()
    numbers = itertools.count()

    def take_all():
        with contextlib.suppress(OSError):
            while True:
                (place / str(next(numbers))).touch()

    take_all()
    # A file being written takes the place of another, which is free.
    wait_for(lambda: not [*home.path.glob("sessions/*/session.json.*")],
             "the end of a write")
    take_all()


def free(home):
    """Enough room for everything."""
    place = home.path.parent
    (place / "ballast").unlink(missing_ok=True)
    shutil.rmtree(place / "names", ignore_errors=True)
    mount("-o", "remount,size=64m", place)


LOOP_SET_FD, LOOP_SET_STATUS64, LOOP_CTL_GET_FREE = 0x4C00, 0x4C04, 0x4C82
LOOP_AUTOCLEAR = 4  # it is freed with its last user


def loop_device(image, dev):
    """The descriptor and the path of a loop device for this file.

    The devices are those that the kernel shows in `dev`, because /dev of a
    small system has none.
    """
    with open(dev / "loop-control", "rb") as control, \
            open(image, "r+b") as file:
        while True:
            path = dev / f"loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.ioctl(fd, LOOP_SET_FD, file.fileno())
                break
            except OSError as e:
                os.close(fd)
                if e.errno != errno.EBUSY:  # another was faster
                    raise
    info = struct.pack("<5Q4I64s64s32s2Q", 0, 0, 0, 0, 0, 0, 0, 0,
                       LOOP_AUTOCLEAR, b"", b"", b"", 0, 0)
    fcntl.ioctl(fd, LOOP_SET_STATUS64, info)
    return fd, path


def mount_image(image, place):
    dev = place.with_name("dev")
    dev.mkdir()
    mount("-t", "devtmpfs", "dev", dev)
    try:
        fd, path = loop_device(image, dev)
        try:
            mount("-t", "ext4", path, place)
        finally:
            os.close(fd)
    finally:
        subprocess.run(["umount", "-l", dev], check=True)


class Stalling:
    """A disk that can be made to hang: every write to it waits.

    A process of its own thaws and unmounts it when this one has ended, for
    whatever reason.
    """

    def __init__(self, image, place):
        subprocess.run(["truncate", "-s", "64M", image], check=True)
        subprocess.run(["mkfs.ext4", "-q", image], check=True)
        place.mkdir()
        mount_image(image, place)
        self.place = place
        self.guard = subprocess.Popen(
            ["sh", "-c", 'cat; fsfreeze -u "$0" 2>/dev/null; umount -l "$0"',
             place], stdin=subprocess.PIPE, start_new_session=True)

    def freeze(self):
        subprocess.run(["fsfreeze", "-f", self.place], check=True)

    def thaw(self):
        subprocess.run(["fsfreeze", "-u", self.place], check=True)

    def close(self):
        self.guard.stdin.close()
        self.guard.wait()


@pytest.fixture
def stalling(tmp_path):
    """A home on such a disk; its `disk` is the disk."""
    disk = Stalling(tmp_path / "image", tmp_path / "disk")
    try:
        with home_on(disk.place) as made:
            made.disk = disk
            yield made
            subprocess.run(["fsfreeze", "-u", disk.place],
                           stderr=subprocess.DEVNULL)
    finally:
        disk.close()
