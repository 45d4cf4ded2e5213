"""Confine a forked process: namespaces and mounts of its own, no rights, fewer system calls, limits.

Linux only, through the C library. It runs inside bubblewrap: the file system is read-only, and there is no network.

References: namespaces(7), mount_namespaces(7), capabilities(7), seccomp(2), setrlimit(2),
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 0x1, 0x2, 0x4, 0x8, 0x20, 0x1000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_SET_SECCOMP = 1, 38, 24, 22
SECCOMP_MODE_FILTER, SECCOMP_RET_ALLOW, SECCOMP_RET_EPERM, SECCOMP_RET_ENOSYS = 2, 0x7FFF0000, 0x00050001, 0x00050026
_ARCHITECTURE_OFFSET = 4
CAPABILITY_VERSION_3 = 0x20080522

# Memory that no limit sees (memfd, System V, message queues, keys), and doors into the kernel that no exercise needs.
# Numbers from the kernel's tables; those of aarch64 are the generic ones.
_DENIED = {
    "x86_64": {
        **{"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240},
        **{"add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298, "ptrace": 101},
        **{"userfaultfd": 323, "io_uring_setup": 425, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161},
        **{"unshare": 272, "setns": 308, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432},
        **{"fsconfig": 431, "fspick": 433, "mount_setattr": 442, "modify_ldt": 154, "kcmp": 312},
        **{"process_vm_readv": 310, "process_vm_writev": 311, "name_to_handle_at": 303, "open_by_handle_at": 304},
        **{"kexec_load": 246, "init_module": 175, "finit_module": 313, "acct": 163, "swapon": 167, "reboot": 169},
    },
    "aarch64": {
        **{"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180},
        **{"add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241, "ptrace": 117},
        **{"userfaultfd": 282, "io_uring_setup": 425, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51},
        **{"unshare": 97, "setns": 268, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432},
        **{"fsconfig": 431, "fspick": 433, "mount_setattr": 442, "kcmp": 272},
        **{"process_vm_readv": 270, "process_vm_writev": 271, "name_to_handle_at": 264, "open_by_handle_at": 265},
        **{"kexec_load": 104, "init_module": 105, "finit_module": 273, "acct": 89, "swapon": 224, "reboot": 142},
    },
}
# Number of the architecture, and of the calls whose arguments are looked at.
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS = {
    "x86_64": {"clone": 56, "clone3": 435, "socket": 41, "mmap": 9},
    "aarch64": {"clone": 220, "clone3": 435, "socket": 198, "mmap": 222},
}
# Any new namespace; in a user namespace of its own a process would have all rights.
_NAMESPACE_FLAGS = 0x7E020000
# MAP_SHARED and MAP_ANONYMOUS: memory that stays when it is unmapped in part, and that no limit of a process counts.
_SHARED_AND_ANONYMOUS = 0x21
_ADDRESS_FAMILIES = (1, 2, 10, 16)  # UNIX, INET, INET6, NETLINK

_libc = ctypes.CDLL(None, use_errno=True)


def new_namespaces() -> None:
    """Move this process into user, mount, network and IPC namespaces of its own, its children into a PID namespace.

    The process is root in there and nowhere else.

    Raises:
        OSError: the system does not allow it.
    """
    uid, gid = os.getuid(), os.getgid()
    _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    _check(_libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount /")


def mount_tmpfs(place: str, megabytes: float, files: int) -> None:
    """Mount an empty file system in memory over `place`, with limits of size and of the number of files."""
    options = f"size={int(megabytes * 2**20)},nr_inodes={files},mode=0700"
    flags = MS_NOSUID | MS_NODEV
    _check(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", flags, options.encode()), f"mount {place}")


def make_read_only(place: str, flags: int = MS_NOSUID | MS_NODEV) -> None:
    """Let nothing be changed below a mount any more; sockets in it can still be connected to.

    Args:
        place: the mount.
        flags: those that it has, which must stay.
    """
    flags |= MS_REMOUNT | MS_BIND | MS_RDONLY
    _check(_libc.mount(b"none", place.encode(), None, flags, None), f"remount {place}")


def die_with_parent() -> None:
    """Let this process be killed when the one that forked it ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with the parent")


def drop_rights() -> None:
    """Give up every capability for good, in this process and in its children."""
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    for capability in range(64):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # the numbers beyond the last one fail, as they may
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


def deny_system_calls() -> None:
    """Let the system calls listed in this module fail with EPERM; on an unknown machine do nothing."""
    machine = platform.machine()
    if machine not in _DENIED:
        return
    program = _Program()
    program.load(_ARCHITECTURE_OFFSET)
    program.unless_equal(_ARCHITECTURE[machine], give=SECCOMP_RET_EPERM)
    program.load(0)
    if machine == "x86_64":  # the calls of the x32 interface would pass by under other numbers
        program.if_at_least(0x40000000, give=SECCOMP_RET_EPERM)
    for number in sorted(_DENIED[machine].values()):
        program.if_equal(number, give=SECCOMP_RET_EPERM)
    calls = _CALLS[machine]
    program.if_equal(calls["clone3"], give=SECCOMP_RET_ENOSYS)  # its flags cannot be seen; the C library takes clone
    program.look_at_argument(calls["clone"], 0, bits=_NAMESPACE_FLAGS, give=SECCOMP_RET_EPERM)
    program.look_at_argument(calls["mmap"], 3, all_of=_SHARED_AND_ANONYMOUS, give=SECCOMP_RET_EPERM)
    program.look_at_argument(calls["socket"], 0, none_of=_ADDRESS_FAMILIES, give=SECCOMP_RET_EPERM)
    program.give(SECCOMP_RET_ALLOW)
    program.install()


class _Program:
    """A filter of system calls in the instructions of classic BPF. Jumps are relative, and only forward."""

    def __init__(self) -> None:
        self.code: list[bytes] = []

    def _add(self, code: int, value: int, jump_true: int = 0, jump_false: int = 0) -> None:
        self.code.append(struct.pack("HBBI", code, jump_true, jump_false, value))

    def load(self, offset: int) -> None:
        """Load a word of the system call's description."""
        self._add(0x20, offset)

    def give(self, verdict: int) -> None:
        """End with a verdict."""
        self._add(0x06, verdict)

    def if_equal(self, value: int, *, give: int) -> None:
        """End if the loaded word is `value`."""
        self._add(0x15, value, 0, 1)
        self.give(give)

    def unless_equal(self, value: int, *, give: int) -> None:
        """End if the loaded word is not `value`."""
        self._add(0x15, value, 1, 0)
        self.give(give)

    def if_at_least(self, value: int, *, give: int) -> None:
        """End if the loaded word is `value` or more."""
        self._add(0x35, value, 0, 1)
        self.give(give)

    def look_at_argument(
        self, call: int, number: int, *, give: int, bits: int = 0, all_of: int = 0, none_of: tuple[int, ...] = ()
    ) -> None:
        """End if the call is `call` and the lower half of an argument has one of `bits`, all of `all_of`, or is none
        of `none_of`; the number of the call is loaded before and after."""
        inner = _Program()
        inner.load(16 + 8 * number)
        if bits:
            inner._add(0x45, bits, 0, 1)
            inner.give(give)
        elif all_of:
            inner._add(0x54, all_of)
            inner.if_equal(all_of, give=give)
        else:
            for place, value in enumerate(none_of):
                inner._add(0x15, value, len(none_of) - place, 0)
            inner.give(give)
        inner.load(0)
        self._add(0x15, call, 0, len(inner.code))
        self.code += inner.code

    def install(self) -> None:
        """Make it hold for this process and its children."""
        code = ctypes.create_string_buffer(b"".join(self.code))
        described = ctypes.create_string_buffer(struct.pack("HP", len(self.code), ctypes.addressof(code)))
        _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0), "seccomp")


def limit_resources(*, memory: int, processes: int, open_files: int, file_bytes: int, seconds: int) -> None:
    """Set the limits of this process and of its children.

    Args:
        memory: bytes beyond what the process has now, for data and, with some room, for all that it maps.
        processes: processes and threads of this user namespace.
        open_files: open files in a process.
        file_bytes: size of a file.
        seconds: processor time.
    """
    # Data: an allocation that is too large fails, and torch says so in words.
    now = {line.split(":")[0]: line.split()[1:2] for line in Path("/proc/self/status").read_text().splitlines()}
    data, mapped = (int(now[name][0]) * 1024 for name in ("VmData", "VmSize"))
    for kind, value in (
        (resource.RLIMIT_DATA, data + memory),
        (resource.RLIMIT_AS, mapped + memory + 4 * 2**30),  # each thread reserves room that it does not use
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (value, value))


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
