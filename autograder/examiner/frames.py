"""Lists of byte strings over a stream socket: their number and lengths first, then the bytes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable

MOST_FRAMES = 100_000


class TooLong(Exception):
    """Raised when a message is longer than what is read."""


def send(line: socket.socket, frames: list[bytes]) -> None:
    """Send one message."""
    lengths = [len(frame) for frame in frames]
    line.sendall(b"".join([struct.pack(f"<I{len(frames)}Q", len(frames), *lengths), *frames]))


def receive(read: Callable[[int], bytes], most: int) -> list[bytes]:
    """Receive one message.

    Args:
        read: returns exactly so many bytes, see :func:`reader`.
        most: bytes that are read at most.

    Raises:
        TooLong: the message is longer.
    """
    (count,) = struct.unpack("<I", read(4))
    if count > MOST_FRAMES:
        raise TooLong(f"a message of {count} parts")
    lengths = struct.unpack(f"<{count}Q", read(8 * count))
    if sum(lengths) > most:
        raise TooLong(f"{sum(lengths) // 2**20} MB")
    return [read(length) for length in lengths]


def reader(line: socket.socket, wait: Callable[[], None] = lambda: None) -> Callable[[int], bytes]:
    """Return a function that reads exactly so many bytes.

    Args:
        line: the socket.
        wait: called before each part is read; returns when there is something to read, or raises.
    """

    def read(size: int) -> bytes:
        # One buffer for all: whoever sends single bytes must not fill the memory with them.
        buffer = bytearray(size)
        rest = memoryview(buffer)
        while rest:
            wait()
            count = line.recv_into(rest)
            if not count:
                raise EOFError
            rest = rest[count:]
        return bytes(buffer)

    return read
