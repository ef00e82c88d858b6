"""A process that is taken over: it makes the system calls that the test wants.

    with Takeover(pid) as taken:
        assert taken.call("openat", -100, b"/etc/passwd", 0) == -errno.EACCES

The test stops it with ptrace(2) in a system call, which every idle process is in,
and uses that call's instruction again.  This is how an attacker's code would run,
with all limits of the process.
"""

import ctypes
import os
import platform
import signal
import struct

ATTACH, DETACH, STEP = 16, 17, 9
POKEDATA, GETREGSET, SETREGSET, SETOPTIONS = 5, 0x4204, 0x4205, 0x4200
PRSTATUS, ARM_SYSTEM_CALL = 1, 0x404

# Registers, as indexes of 8 bytes in what GETREGSET returns, and the call's
# instruction.
MACHINES = {
    "x86_64": {
        "number": 10, "result": 10, "args": (14, 13, 12, 7, 9, 8), "stack": 19,
        "pc": 16, "origin": 15, "code": b"\x0f\x05",
        "calls": {"openat": 257, "socket": 41, "kill": 62, "execve": 59,
                  "ptrace": 101, "clone": 56, "mmap": 9, "close": 3,
                  "bind": 49},
    },
    "aarch64": {
        "number": 8, "result": 0, "args": (0, 1, 2, 3, 4, 5), "stack": 31,
        "pc": 32, "origin": None, "code": b"\x01\x00\x00\xd4",
        "calls": {"openat": 56, "socket": 198, "kill": 129, "execve": 221,
                  "ptrace": 117, "clone": 220, "mmap": 222, "close": 57,
                  "bind": 200},
    },
}
MACHINE = MACHINES[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p,
                        ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Ended(Exception):
    """The process has ended by this signal."""


def ptrace(request, pid, address=None, data=None):
    ctypes.set_errno(0)
    if libc.ptrace(request, pid, address, data) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


class Takeover:
    def __init__(self, pid, tid=None):
        self.pid = tid or pid

    def __enter__(self):
        ptrace(ATTACH, self.pid)
        self.wait(signal.SIGSTOP)
        self.before = self.registers()
        at = self.before[MACHINE["pc"]] - len(MACHINE["code"])
        with open(f"/proc/{self.pid}/mem", "rb") as memory:
            memory.seek(at)
            code = memory.read(len(MACHINE["code"]))
        assert code == MACHINE["code"], code
        self.at = at
        return self

    def __exit__(self, kind, *_):
        if kind is None or not issubclass(kind, Ended):
            self.set_registers(self.before)
            ptrace(DETACH, self.pid)

    def wait(self, *expected):
        """Wait for its next stop by one of these signals, which it does not
        get; others pass."""
        while True:
            _, status = os.waitpid(self.pid, 0x40000000)  # __WALL
            if os.WIFSIGNALED(status):
                raise Ended(signal.Signals(os.WTERMSIG(status)))
            assert os.WIFSTOPPED(status), status
            if os.WSTOPSIG(status) in expected:
                return
            ptrace(STEP, self.pid, None, os.WSTOPSIG(status))

    def registers(self):
        data = ctypes.create_string_buffer(1024)
        vector = Vector(ctypes.addressof(data), len(data))
        ptrace(GETREGSET, self.pid, PRSTATUS, ctypes.addressof(vector))
        return list(struct.unpack(f"={vector.size // 8}Q",
                                  data.raw[:vector.size]))

    def set_registers(self, registers):
        data = ctypes.create_string_buffer(struct.pack(f"={len(registers)}Q",
                                                       *registers))
        vector = Vector(ctypes.addressof(data), len(registers) * 8)
        ptrace(SETREGSET, self.pid, PRSTATUS, ctypes.addressof(vector))

    def put(self, address, data):
        data += b"\0" * (-len(data) % 8)
        for i in range(0, len(data), 8):
            word, = struct.unpack("=Q", data[i:i + 8])
            ptrace(POKEDATA, self.pid, address + i, word)

    def call(self, name, *args):
        """Make the call and return its result, -errno for a failure.  Bytes are
        passed as their address."""
        registers = list(self.before)
        free = registers[MACHINE["stack"]] - 4096
        for i, arg in enumerate(args):
            if isinstance(arg, bytes):
                self.put(free, arg + b"\0")
                arg, free = free, free - len(arg) // 8 * 8 - 64
            registers[MACHINE["args"][i]] = arg & (1 << 64) - 1
        registers[MACHINE["number"]] = MACHINE["calls"][name]
        registers[MACHINE["pc"]] = self.at
        if MACHINE["origin"] is not None:
            registers[MACHINE["origin"]] = (1 << 64) - 1  # restart no call
        self.set_registers(registers)
        ptrace(STEP, self.pid)
        # The filter's SIGSYS: its handler returns the error.
        self.wait(signal.SIGTRAP)
        while self.registers()[MACHINE["pc"]] != self.at + len(
                MACHINE["code"]):
            ptrace(STEP, self.pid)
            self.wait(signal.SIGTRAP)
        result = self.registers()[MACHINE["result"]]
        return result - (1 << 64) if result >> 63 else result
