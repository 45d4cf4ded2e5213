"""Start JupyterLab on the first lesson, with the course's own figures shown at once."""

import subprocess
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

from autograder import environment

ROOT = environment.ROOT
START = "notebooks/00_start_here.ipynb"
SHIPPED = ("notebooks", "release")
# JupyterLab shows a stored SVG only in a notebook whose signature it knows, since an SVG can carry a script.
# Signatures and the key they are made with normally lie in the user's own Jupyter folder. The course keeps its own
# pair in its own folder: nothing is written elsewhere, deleting the folder takes them along, and no other Jupyter on
# this machine starts to trust anything. JUPYTER_DATA_DIR would move them too, but it would also hide the user's own
# kernels and extensions.
SIGNATURES = ".jupyter"


def problems(port: int, root: Path = ROOT) -> list[str]:
    """Return what keeps JupyterLab from starting on `port` in the course folder `root`, one sentence each."""
    if not (root / START).is_file():
        return [f"{START} is not in {root}: the course folder is not complete, get it again."]
    return environment.check_writable(root) + environment.check_port(port)


def start(port: int, browser: bool = True, root: Path = ROOT) -> None:
    """Trust the notebooks that are as shipped, start JupyterLab and return when it ends."""
    from jupyterlab.labapp import LabApp

    trust(root)
    print(f"Starting JupyterLab with {START}. It runs until you press Control-C here, twice.", flush=True)
    arguments = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{START}",
        f"--ServerApp.port={port}",
        # The port was free a moment ago. To drift to another one silently would open the course twice.
        "--ServerApp.port_retries=0",
        f"--NotebookNotary.data_dir={root / SIGNATURES}",
        # Keep to the address and to real warnings, and never offer a JupyterLab that is not the pinned one.
        "--Application.log_level=WARN",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        # In a container the user is often root, which Jupyter refuses. It listens on this machine only, with a token.
        "--allow-root",
    ]
    LabApp.launch_instance(arguments if browser else [*arguments, "--no-browser"])


def trust(root: Path = ROOT) -> None:
    """Sign the notebooks in `root` that are as shipped, so that JupyterLab shows their stored figures.

    A notebook that was changed since is left alone: JupyterLab signs it itself when it is run and saved there.
    """
    folder = root / SIGNATURES
    first_start = not folder.exists()
    folder.mkdir(exist_ok=True)
    shipped = _as_committed(root)
    if shipped is None:
        # A folder from a ZIP does not know what it was. Before the first start nobody has worked in it.
        shipped = [path for name in SHIPPED for path in (root / name).rglob("*.ipynb")] if first_start else []
    with NotebookNotary(data_dir=str(folder)) as notary:
        for path in sorted(shipped):
            if ".ipynb_checkpoints" not in path.parts:
                notary.sign(nbformat.read(path, as_version=4))


def _as_committed(root: Path) -> list[Path] | None:
    """Return the notebooks that git knows and finds unchanged, or None where git cannot tell."""

    def files(*options: str) -> set[str]:
        command = ["git", "-C", str(root), "ls-files", "-z", *options, "--", *(f"{name}/*.ipynb" for name in SHIPPED)]
        done = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8")
        return set(done.stdout.split("\0")) - {""}

    try:
        committed = files("--cached")
        changed = files("--modified", "--deleted")
    except (OSError, subprocess.CalledProcessError):
        return None
    return [root / name for name in committed - changed] if committed else None
