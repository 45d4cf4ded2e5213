"""Outputs of a student's cell, as they come from its kernel: cut to size while they come, and always valid.

A kernel can send anything, so each output is made anew of plain texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.examiner.texts import clean

MOST_OUTPUTS = 200
# What a page can show; the rest would be dropped there.
_MIME = (
    *("text/plain", "text/html", "text/markdown", "text/latex"),
    *("image/png", "image/jpeg", "image/svg+xml", "application/json"),
)
CUT = "\n… more output than is kept; the rest was dropped.\n"


class Outputs:
    """Collects what one cell shows.

    Attributes:
        nodes: outputs as in a notebook (list of NotebookNode).
        cut: whether something was dropped.
    """

    def __init__(self, most: int) -> None:
        """Keep at most `most` characters of text and encoded pictures."""
        self.nodes: list[NotebookNode] = []
        self.cut = False
        self._left = most
        self._shown: dict[str, NotebookNode] = {}

    def add(self, kind: Any, content: Any) -> None:
        """Add a message of the IOPub channel; kinds that are no output, and malformed messages, are ignored.

        Reference: https://jupyter-client.readthedocs.io/en/stable/messaging.html#messages-on-the-iopub-pub-sub-channel
        """
        if not isinstance(content, dict):
            return
        if kind == "clear_output":
            self.nodes.clear()
        elif len(self.nodes) >= MOST_OUTPUTS:
            self.cut = True
        elif kind == "stream":
            self._stream(content)
        elif kind in ("display_data", "execute_result", "update_display_data"):
            self._data(kind, content)
        elif kind == "error":
            self.error(*(content.get(name) for name in ("ename", "evalue", "traceback")))

    def error(self, ename: Any, evalue: Any, traceback: Any) -> None:
        """Add an error."""
        lines = traceback if isinstance(traceback, list) else []
        kept = [self._take(text) for text in (ename, evalue, "\n".join(map(str, lines)))]
        self.nodes.append(new_output("error", ename=kept[0], evalue=kept[1], traceback=kept[2].splitlines()))

    def _stream(self, content: Mapping[str, Any]) -> None:
        name = "stderr" if content.get("name") == "stderr" else "stdout"
        text = self._take(content.get("text"))
        if self.nodes and self.nodes[-1].output_type == "stream" and self.nodes[-1].name == name:
            self.nodes[-1].text += text
        elif text:
            self.nodes.append(new_output("stream", name=name, text=text))

    def _data(self, kind: str, content: Mapping[str, Any]) -> None:
        data = content.get("data")
        if not isinstance(data, dict):
            return
        kept = {mime: self._take(data[mime]) for mime in _MIME if isinstance(data.get(mime), str)}
        transient = content.get("transient")
        name = transient.get("display_id") if isinstance(transient, dict) else None
        name = name[:100] if isinstance(name, str) else None
        if kind == "update_display_data":
            if name in self._shown:
                self._shown[name].data = NotebookNode(kept)
        elif kept:
            node = new_output("display_data", data=kept)
            if kind == "execute_result":
                node = new_output("execute_result", data=kept, execution_count=None)
            self.nodes.append(node)
            if name:
                self._shown[name] = node

    def _take(self, value: Any) -> str:
        text = clean(value) if isinstance(value, str) else ""
        if len(text) <= self._left:
            self._left -= len(text)
            return text
        kept, self._left = text[: self._left], 0
        if not self.cut:
            self.cut = True
            return kept + CUT
        return ""
