"""The virtual environment of the peers, under target/: made once, and anew when what it should hold has changed."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from program import ROOT, stop

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "target/peers-environment"
PYTHON = FOLDER / "bin/python"
STAMP = FOLDER / "complete"
REQUIREMENTS = HERE / "requirements.txt"


def enter():
    """Goes on as the same command in the environment, unless this is it."""
    if Path(sys.prefix).resolve() == FOLDER.resolve():
        return
    if not complete():
        make()
    os.execv(PYTHON, [str(PYTHON), str(HERE), *sys.argv[1:]])


def complete():
    """Whether an installation came to its end, and of these requirements for this Python."""
    return STAMP.is_file() and PYTHON.exists() and STAMP.read_text() == wanted()


def wanted():
    return f"Python {sys.version}\n{REQUIREMENTS.read_text()}"


def make():
    """Installs everything; the stamp comes last, so that an installation that was interrupted is no environment."""
    print(f"making {FOLDER.relative_to(ROOT)}: once, some minutes, about a gigabyte", file=sys.stderr)
    try:
        STAMP.unlink(missing_ok=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
        venv.create(FOLDER, with_pip=True)
        install()
        STAMP.write_text(wanted())
    except (OSError, subprocess.CalledProcessError) as reason:
        stop(f"the virtual environment {FOLDER.relative_to(ROOT)} cannot be made: {reason}")


def install():
    words = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode != 0:
        errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR: ")] or ["ERROR: no reason given"]
        stop(f"pip cannot install {REQUIREMENTS.relative_to(ROOT)}: {errors[-1].removeprefix('ERROR: ')}")
