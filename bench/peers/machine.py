"""The machine and the versions that figures were measured with."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

PACKAGES = ["numpy", "scipy", "glum", "statsmodels", "jax", "optimistix", "pyarrow"]


def described(program):
    """Everything that a table should be read with."""
    versions = {name: version(name) for name in PACKAGES}
    return {"versions": {"agglio": own_version(program), "Python": platform.python_version(), **versions},
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "processor": processor()}


def sentence(machine):
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return f"{versions}; {machine['cores']} cores, {machine['processor']}"


def own_version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip().split(" ")[-1]


def processor():
    """The name by which Linux knows the processor, elsewhere what Python knows of it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
