"""Build an older tend: build.py ARCHIVE STAMP.

The programs are then in src/ of the directory named as STAMP without its
ending.  Nothing of it is installed or linked; tests run it.
"""

import pathlib
import shutil
import subprocess
import sys
import tarfile

PROGRAMS = ["src/tend", "src/tend-host", "src/tend-keeper"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def main():
    archive, stamp = map(pathlib.Path, sys.argv[1:])
    place = stamp.resolve().with_suffix("")
    source = place.with_name(place.name + "-source")
    for path in (place, source):
        shutil.rmtree(path, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(source)
    run("meson", "setup", place, source, "-Dhardened=false",
        "-Doptimization=0", "-Ddebug=false")
    run("ninja", "-C", place, *PROGRAMS)
    stamp.write_text("built\n")


if __name__ == "__main__":
    main()
