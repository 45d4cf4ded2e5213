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
import struct
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_SET_SECCOMP = 38, 24, 22
SECCOMP_MODE_FILTER, SECCOMP_RET_ALLOW, SECCOMP_RET_EPERM = 2, 0x7FFF0000, 0x00050001
CAPABILITY_VERSION_3 = 0x20080522

# Memory that no limit sees (memfd, System V, message queues, keys), and doors into the kernel that no exercise needs.
# Numbers from the kernel's tables; those of aarch64 are the generic ones.
_DENIED = {
    "x86_64": (
        0xC000003E,
        {
            **{"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240},
            **{"add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298, "ptrace": 101},
            **{"userfaultfd": 323, "io_uring_setup": 425, "mount": 165, "umount2": 166, "pivot_root": 155},
            **{"unshare": 272, "setns": 308, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432},
            **{"process_vm_readv": 310, "process_vm_writev": 311, "name_to_handle_at": 303, "open_by_handle_at": 304},
            **{"kexec_load": 246, "init_module": 175, "finit_module": 313, "acct": 163, "swapon": 167, "reboot": 169},
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            **{"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180},
            **{"add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241, "ptrace": 117},
            **{"userfaultfd": 282, "io_uring_setup": 425, "mount": 40, "umount2": 39, "pivot_root": 41},
            **{"unshare": 97, "setns": 268, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432},
            **{"process_vm_readv": 270, "process_vm_writev": 271, "name_to_handle_at": 264, "open_by_handle_at": 265},
            **{"kexec_load": 104, "init_module": 105, "finit_module": 273, "acct": 89, "swapon": 224, "reboot": 142},
        },
    ),
}

_libc = ctypes.CDLL(None, use_errno=True)


def new_namespaces() -> None:
    """Move this process into a user, mount and IPC namespace of its own, and its children into a PID namespace.

    The process is root in there and nowhere else.

    Raises:
        OSError: the system does not allow it.
    """
    uid, gid = os.getuid(), os.getgid()
    _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    _check(_libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount /")


def mount_tmpfs(place: str, megabytes: float, files: int) -> None:
    """Mount an empty file system in memory over `place`, with limits of size and of the number of files."""
    options = f"size={int(megabytes * 2**20)},nr_inodes={files},mode=0700"
    flags = MS_NOSUID | MS_NODEV
    _check(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", flags, options.encode()), f"mount {place}")


def drop_rights() -> None:
    """Give up every capability for good, in this process and in its children."""
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    for capability in range(64):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # the numbers beyond the last one fail, as they may
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


def deny_system_calls() -> None:
    """Let the system calls listed in this module fail with EPERM; on an unknown machine do nothing."""
    if platform.machine() not in _DENIED:
        return
    architecture, denied = _DENIED[platform.machine()]

    def instruction(code: int, jump_true: int, jump_false: int, value: int) -> bytes:
        return struct.pack("HBBI", code, jump_true, jump_false, value)

    load, jump_equal, jump_at_least, give = 0x20, 0x15, 0x35, 0x06
    numbers = sorted(denied.values())
    program = [instruction(load, 0, 0, 4), instruction(jump_equal, 1, 0, architecture)]
    program += [instruction(give, 0, 0, SECCOMP_RET_EPERM), instruction(load, 0, 0, 0)]
    if platform.machine() == "x86_64":  # the calls of the x32 interface would pass by under other numbers
        program.append(instruction(jump_at_least, len(numbers) + 1, 0, 0x40000000))
    program += [instruction(jump_equal, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    program += [instruction(give, 0, 0, SECCOMP_RET_ALLOW), instruction(give, 0, 0, SECCOMP_RET_EPERM)]
    code = ctypes.create_string_buffer(b"".join(program))
    described = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(code)))
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
