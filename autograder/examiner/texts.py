"""Texts that somebody else wrote."""

from __future__ import annotations


def clean(text: str) -> str:
    """Replace what cannot be written to a file: halves of UTF-16 pairs, which JSON lets through."""
    return text.encode("utf-8", "replace").decode("utf-8")
