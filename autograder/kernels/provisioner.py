"""Lets jupyter_client start kernels in the sandbox: so nbclient, nbgrader and nbval can use them by their name.

The kernel spec ``sandboxed`` in ``autograder/kernels/jupyter`` names this provisioner. Jupyter finds it when
``JUPYTER_PATH`` holds that folder::

    JUPYTER_PATH=autograder/kernels/jupyter python -m pytest --nbval --nbval-kernel-name sandboxed notebook.ipynb

Reference: https://jupyter-client.readthedocs.io/en/stable/provisioning.html
"""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerBase
from traitlets import Bool, Instance

from autograder.kernels.limits import Limits
from autograder.kernels.nursery import WarmKernel, nursery

# Holds kernels/sandboxed/kernel.json.
JUPYTER_PATH = Path(__file__).parent / "jupyter"
NAME = "sandboxed"


class SandboxProvisioner(KernelProvisionerBase):
    """Takes warm kernels out of the sandbox's nursery, and ends them."""

    prepare_next = Bool(False, help="Keep one kernel ready for the next start.").tag(config=True)
    limits = Instance(Limits)

    kernel: WarmKernel | None = None

    def __init__(self, **kwargs: Any) -> None:
        """Read the limits from the same configuration."""
        super().__init__(**kwargs)
        self.limits = Limits(parent=self)

    @property
    def has_process(self) -> bool:
        """Whether there is a kernel."""
        return self.kernel is not None

    async def poll(self) -> int | None:
        """None while the kernel runs, else a number."""
        if self.kernel is None:
            return 0
        return None if self.kernel.is_alive() else (self.kernel.code or 0)

    async def wait(self) -> int | None:
        """Wait for the end of the kernel."""
        if self.kernel is None:
            return None
        while self.kernel.is_alive():
            await asyncio.sleep(0.02)
        self._nursery.ended(self.kernel)
        code, self.kernel = self.kernel.code, None
        return code

    async def send_signal(self, signum: int) -> None:
        """Kill it at SIGKILL. The kernel spec lets it be interrupted by a message, so no other signal is needed."""
        if self.kernel is not None and signum in (signal.SIGKILL, signal.SIGTERM):
            self.kernel.kill()

    async def kill(self, restart: bool = False) -> None:
        """End the kernel and all that it started."""
        if self.kernel is not None:
            self.kernel.kill()

    async def terminate(self, restart: bool = False) -> None:
        """End the kernel and all that it started: there is nothing in it to be saved."""
        await self.kill(restart)

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Nothing to prepare: the connection is the kernel's own."""
        return await super().pre_launch(cmd=self.kernel_spec.argv, **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Take a kernel out of the nursery. `cmd` is not run."""
        self.kernel = await asyncio.to_thread(self._nursery.take, prepare_next=self.prepare_next)
        self.connection_info = dict(self.kernel.connection)
        return self.connection_info

    async def cleanup(self, restart: bool = False) -> None:
        """Forget the connection, so that a restart does not write it to the old kernel's file."""
        if self.kernel is not None:
            self.kernel.kill()
            await self.wait()

    @property
    def _nursery(self) -> Any:
        return nursery(self.limits)
