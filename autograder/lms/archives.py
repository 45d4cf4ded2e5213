"""Look into an archive without unpacking it.

Nothing is ever extracted by the name that stands in an archive. An archive is a list of entries, each with a checked
name, a time and a way to read its bytes within limits; where they are written is decided elsewhere, and not by it.
"""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz")
# What file managers and Jupyter leave behind. Nobody hands it in on purpose.
_LITTER = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__pycache__", ".git"}
_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MB = 2**20
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True)
class Caps:
    """What an archive may hold.

    Attributes:
        entries: number of entries.
        file_bytes: size of a file that is read.
        total_bytes: size of all files that are read, and of a tar when it is decompressed.
        ratio: how many times larger than its compressed form a file may be, if it is larger than 1 MB.
        nested_entries: number of entries of an archive in the archive.
    """

    entries: int = 200_000
    file_bytes: int = 64 * _MB
    total_bytes: int = 32 * 1024 * _MB
    ratio: int = 200
    nested_entries: int = 2_000


class BadArchive(Exception):
    """Raised when an archive cannot be read at all. The message says why, and follows its name."""


class BadEntry(Exception):
    """Raised when one entry cannot be taken. The message says why, and follows its name."""


@dataclass(frozen=True)
class Entry:
    """A file in an archive.

    Attributes:
        parts: its path there.
        time: when it was last changed; without a time zone if the archive does not tell it.
        read: gives its content, or raises BadEntry.
    """

    parts: tuple[str, ...]
    time: datetime | None
    read: Callable[[], bytes] = field(compare=False)

    @property
    def name(self) -> str:
        """Its path as text."""
        return "/".join(self.parts)


@dataclass
class Archive:
    """What was found in an archive.

    Attributes:
        path: where it lies.
        entries: the files that can be read.
        refused: the name of each entry that cannot be taken, fit to be shown, and why.
    """

    path: Path
    entries: list[Entry] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


@contextlib.contextmanager
def opened(path: Path, caps: Caps | None = None) -> Iterator[Archive]:
    """Open a zip, a tar (also compressed), a folder or a single file.

    Entries can be read as long as the archive is open.

    Raises:
        BadArchive: it is none of these, it is broken, or it has too many entries.
    """
    caps = caps or Caps()
    archive = Archive(path)
    budget = _Budget(caps.total_bytes)
    with contextlib.ExitStack() as stack:
        if path.is_dir():
            found = _of_folder(path, caps)
        elif path.suffix.lower() == ".ipynb":
            found = iter([_of_file(path, (path.name,), caps)])
        else:
            try:
                file = stack.enter_context(path.open("rb"))
            except OSError as error:
                raise BadArchive(f"cannot be opened: {error.strerror}.") from None
            found = _of_file_object(file, caps, stack)
        for item in _limited(found, caps.entries):
            if isinstance(item, Entry):
                archive.entries.append(replace(item, read=functools.partial(budget.read, item.read)))
            else:
                archive.refused.append(item)
        yield archive


def inside(entry: Entry, caps: Caps | None = None) -> Archive:
    """Look into an archive that is an entry of another one.

    Its entries have the time of the archive: those that it holds were written by the student.

    Raises:
        BadArchive: it cannot be read.
        BadEntry: the entry cannot be read.
    """
    caps = caps or Caps()
    archive = Archive(Path(entry.name))
    with _nested(entry, caps) as found:
        for number, item in enumerate(found):
            if isinstance(item, Entry):
                read = functools.partial(_read_nested, entry, caps, number)
                archive.entries.append(Entry(item.parts, entry.time, read))
            else:
                archive.refused.append(item)
    return archive


def is_archive(parts: tuple[str, ...]) -> bool:
    """Whether a file has the name of an archive that can be opened."""
    return parts[-1].lower().endswith(SUFFIXES)


def shown(name: str) -> str:
    """A name fit for a terminal: what cannot be seen is written out, and it is not too long."""
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in name)
    return text if len(text) <= 120 else f"{text[:117]}…"


def checked(name: str) -> tuple[str, ...]:
    """Take the path of an entry apart.

    Raises:
        BadEntry: it leads out of the archive, or is a name that must not be trusted or cannot be had.
    """
    if any(unicodedata.category(char) in ("Cc", "Cs") or char in _BIDI for char in name):
        raise BadEntry("has control characters in its name, which can hide what it is. Rename it.")
    if "\\" in name:
        raise BadEntry("has backslashes in its name, so that its folder is not certain. Rename it.")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise BadEntry("has an absolute path, which could lead anywhere.")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise BadEntry("has a path that leads out of the archive.")
    if not parts:
        raise BadEntry("has no name.")
    if len(name.encode()) > 4096 or any(len(part.encode()) > 255 for part in parts):
        raise BadEntry("has a longer name than file systems take. Rename it.")
    return tuple(unicodedata.normalize("NFC", part) for part in parts)


class _Budget:
    """What may still be read of an archive."""

    def __init__(self, total: int) -> None:
        self.left = total

    def read(self, read: Callable[[], bytes]) -> bytes:
        if self.left <= 0:
            raise BadEntry("was not read, since the archive holds more than can be unpacked. Split it.")
        data = read()
        self.left -= len(data)
        return data


Found = Iterator[Entry | tuple[str, str]]


def _limited(found: Found, entries: int) -> Found:
    try:
        for number, item in enumerate(found):
            if number == entries:
                raise BadArchive(f"holds more than {entries:,} entries. Split it.")
            yield item
    except _BROKEN:
        raise BadArchive("is broken. Download it again.") from None


def _of_file_object(file: IO[bytes], caps: Caps, stack: contextlib.ExitStack) -> Found:
    try:
        if zipfile.is_zipfile(file):
            file.seek(0)
            return _of_zip(stack.enter_context(zipfile.ZipFile(file)), caps)
        file.seek(0)
        plain = stack.enter_context(_decompressed(file, caps.total_bytes))
        return _of_tar(stack.enter_context(tarfile.open(fileobj=_Modest(plain), mode="r:")), caps)
    except _BROKEN:
        raise BadArchive("is not a zip or tar archive that can be opened. It may be cut off.") from None


def _of_zip(archive: zipfile.ZipFile, caps: Caps) -> Found:
    for info in archive.infolist():
        name = _zip_name(info)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if name.endswith("/") or _is_litter(name):
            continue
        try:
            parts = checked(name)
            if kind not in (0, stat.S_IFREG):
                raise BadEntry("is a link or a device and not a file. Only files are taken.")
            if info.flag_bits & 0x1:
                raise BadEntry("is encrypted. It has to be handed in without a password.")
        except BadEntry as error:
            yield shown(name), str(error)
        else:
            yield Entry(parts, _zip_time(info), functools.partial(_read_zip, archive, info, caps))


def _zip_name(info: zipfile.ZipInfo) -> str:
    # Without the flag for UTF-8 zipfile takes names for DOS's; macOS and others write UTF-8 and set no flag.
    if not info.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            return info.orig_filename.encode("cp437").decode("utf-8")
    return info.orig_filename


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    try:
        time = datetime(*info.date_time)
    except ValueError:
        return None
    return time if time.year > 1980 else None  # 1980 is how a zip says that it has no time


def _read_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, caps: Caps) -> bytes:
    if info.file_size > _MB and info.file_size > caps.ratio * info.compress_size:
        raise BadEntry(f"grows more than {caps.ratio} times when it is unpacked, as no notebook does.")
    if info.file_size > caps.file_bytes:
        raise _too_large(caps)
    try:
        with archive.open(info) as file:
            return _read(file, caps)
    except _BROKEN:
        raise BadEntry("is broken in the archive and cannot be unpacked. Download or hand it in again.") from None


def _of_tar(archive: tarfile.TarFile, caps: Caps) -> Found:
    for member in archive:
        if member.isdir() or _is_litter(member.name):
            continue
        try:
            parts = checked(member.name)
            if not member.isreg():
                raise BadEntry("is a link or a device and not a file. Only files are taken.")
        except BadEntry as error:
            yield shown(member.name), str(error)
        else:
            yield Entry(parts, _from_epoch(member.mtime), functools.partial(_read_tar, archive, member, caps))


def _read_tar(archive: tarfile.TarFile, member: tarfile.TarInfo, caps: Caps) -> bytes:
    if member.size > caps.file_bytes:
        raise _too_large(caps)
    try:
        file = archive.extractfile(member)
        return _read(file, caps) if file else b""
    except _BROKEN:
        raise BadEntry("is broken in the archive and cannot be unpacked. Download or hand it in again.") from None


@contextlib.contextmanager
def _decompressed(file: IO[bytes], limit: int) -> Iterator[IO[bytes]]:
    """The tar in a compressed tar, in a file of its own, so that any member can be read at any time."""
    head = file.read(6)
    file.seek(0)
    openers = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
    opener = openers.get(head[:2])
    if opener is None:
        yield file
        return
    with tempfile.TemporaryFile() as plain, opener(file) as compressed:
        size = 0
        while chunk := compressed.read(_MB):
            size += len(chunk)
            if size > limit:
                raise BadArchive("holds more than can be unpacked. Split it.")
            plain.write(chunk)
        plain.seek(0)
        yield plain


class _Modest:
    """A file that gives no more than a tar's headers and our own reads need; tarfile believes the sizes in it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        if not 0 <= size <= 4 * _MB:
            raise tarfile.ReadError("a header of that size is none")
        return self.file.read(size)


def _of_folder(folder: Path, caps: Caps) -> Found:
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(f"{place}/{name}")]
        folders[:] = sorted(name for name in folders if name not in links and name not in _LITTER)
        for name in sorted(names + links):
            path = Path(place, name)
            relative = path.relative_to(folder).as_posix()
            if _is_litter(relative):
                continue
            try:
                parts = checked(relative)
                if not stat.S_ISREG(path.lstat().st_mode):
                    raise BadEntry("is a link or a device and not a file. Only files are taken.")
                yield _of_file(path, parts, caps)
            except BadEntry as error:
                yield shown(relative), str(error)
            except OSError as error:
                yield shown(relative), f"cannot be read: {error.strerror}."


def _of_file(path: Path, parts: tuple[str, ...], caps: Caps) -> Entry:
    return Entry(parts, _from_epoch(path.lstat().st_mtime), functools.partial(_read_path, path, caps))


def _read_path(path: Path, caps: Caps) -> bytes:
    try:
        # The kind was checked when the folder was listed; a link that took its place since is not followed.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            return _read(file, caps)
    except OSError as error:
        raise BadEntry(f"cannot be read: {error.strerror}.") from None


def _read(file: IO[bytes], caps: Caps) -> bytes:
    data = io.BytesIO()
    while chunk := file.read(_MB):
        if data.tell() + len(chunk) > caps.file_bytes:
            raise _too_large(caps)
        data.write(chunk)
    return data.getvalue()


def _too_large(caps: Caps) -> BadEntry:
    return BadEntry(f"is larger than {caps.file_bytes // _MB} MB. Clear the notebook's outputs and hand it in again.")


def _from_epoch(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (OverflowError, OSError, ValueError):
        return None


def _is_litter(name: str) -> bool:
    parts = name.split("/")
    return any(part in _LITTER for part in parts) or parts[-1].startswith("._")


@contextlib.contextmanager
def _nested(entry: Entry, caps: Caps) -> Iterator[Found]:
    data = entry.read()
    # Each entry of a zip has this mark: counted before the list of entries, however long it is, is read into memory.
    if data.count(b"PK\x01\x02") > caps.nested_entries:
        raise BadArchive(f"holds more than {caps.nested_entries:,} entries.")
    small = replace(caps, total_bytes=2 * caps.file_bytes)
    with contextlib.ExitStack() as stack:
        yield _limited(_of_file_object(io.BytesIO(data), small, stack), caps.nested_entries)


def _read_nested(entry: Entry, caps: Caps, number: int) -> bytes:
    try:
        with _nested(entry, caps) as found:
            for count, item in enumerate(found):
                if count == number and isinstance(item, Entry):
                    return item.read()
    except BadArchive as error:
        raise BadEntry(str(error)) from None
    raise BadEntry("changed while it was read. Try again.")
