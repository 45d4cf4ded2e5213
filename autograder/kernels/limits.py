"""What code that nobody has read may use. The one place where limits stand; nbgrader_config.py can change them."""

from __future__ import annotations

from traitlets import Bool, Float, Integer
from traitlets.config import Configurable

MB = 2**20


class Limits(Configurable):
    """Limits of one kernel and of one submission: ``c.Limits.memory = 2048`` in nbgrader_config.py changes one."""

    cell_seconds = Float(30.0, help="Time for a cell of the student's.").tag(config=True)
    test_seconds = Float(30.0, help="Time for a test cell, the student's functions that it calls included.").tag(
        config=True
    )
    submission_seconds = Float(300.0, help="Time for a whole notebook; what is left then counts as too slow.").tag(
        config=True
    )
    grace_seconds = Float(1.0, help="Time between the interrupt and the kill of code that is too slow.").tag(
        config=True
    )
    restarts = Integer(12, help="How often a kernel that died or hung is replaced in one notebook.").tag(config=True)
    memory = Integer(1024, help="Megabytes that a kernel may take beyond what it starts with.").tag(config=True)
    processes = Integer(48, help="Processes and threads beside those that a kernel starts with.").tag(config=True)
    open_files = Integer(128, help="Files and sockets open at one time in a process.").tag(config=True)
    disk = Integer(128, help="Megabytes of files; they lie in memory and vanish with the kernel.").tag(config=True)
    files = Integer(5000, help="Number of files and folders.").tag(config=True)
    output_bytes = Integer(500_000, help="Text and pictures of one cell that are kept; pictures count as text.").tag(
        config=True
    )
    reply_bytes = Integer(80 * MB, help="Longest value from a kernel that is read.").tag(config=True)
    unsafe_no_sandbox = Bool(
        False, help="Run students' code with your own rights on this machine. Every record made so says so."
    ).tag(config=True)
