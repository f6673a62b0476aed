#!/usr/bin/env python3
"""Prints the graph of imports between the library's modules; fails on an upward import, on a cycle and on a forbidden name.

A module is a file or folder directly below crates/agglio/src. A module may import those of lower layers, and those of
its own layer as long as that makes no cycle. Tests inside the files are left out.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "crates/agglio/src"

# From the top; what is not listed is an error, so that a new module gets a place.
LAYERS = [
    "bench conformance",
    "tune groups curve nested",
    "plan",
    "race",
    "fitted",
    "model",
    "spec",
    "report theory inference",
    "certificate",
    "fit",
    "solver prove",
    "oracle",
    "read",
    "table",
    "rows activation outcome simulate",
    "save math text",
    "error",
]

# Upper layers see the oracle as a trait, and facts: no storage, no activation, not the driver.
BLIND = ["race", "certificate", "inference", "tune"]
HIDDEN = re.compile(r"\b(Dense|Driver|Shard|Sigmoid|Softplus|LeakySoftplus|Silu|Gelu|Tanh|Probit|Exponential|Identity)\b")

IMPORT = re.compile(r"\bcrate::(?:\{(.*?)\};|([A-Za-z_]+))", re.S)
TESTS = re.compile(r"#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod ")


def read_files():
    """Text of each file by its path, without tests and comments."""
    files = {file.relative_to(SOURCE): TESTS.split(file.read_text())[0] for file in sorted(SOURCE.rglob("*.rs"))}
    return {path: absolute(path, re.sub(r"//.*", "", text)) for path, text in files.items() if path.name != "lib.rs"}


def absolute(path, text):
    """The text with `crate::` in place of chains of `super::`."""
    own = [part for part in path.with_suffix("").parts if part != "mod"]

    def resolve(chain):
        return "::".join(["crate", *own[: max(len(own) - chain.group().count("super"), 0)], ""])

    return re.sub(r"\b(?:super::)+", resolve, text)


def read_exports():
    """The module of each name that lib.rs exports at the root of the crate."""
    exports = re.findall(r"pub use ([a-z_]+)::(?:[a-z_]+::)*(?:\{(.*?)\}|(\w+));", (SOURCE / "lib.rs").read_text(), re.S)
    return {name: module for module, group, one in exports for name in re.findall(r"\w+", group or one)}


def module(path):
    """The module that a file belongs to."""
    return path.with_suffix("").parts[0]


def imported(text, exports):
    """Modules of the paths that begin with `crate::`."""
    for group, name in IMPORT.findall(text):
        names = [name] if name else re.findall(r"(?:^|,)\s*([A-Za-z_]+)", re.sub(r"\{[^{}]*\}", "", group))
        yield from (exports.get(name, name) for name in names)


def find_cycle(graph):
    """A cycle as a list of names, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in done:
            path.append(name)
            for other in graph[name]:
                if found := visit(other):
                    return found
            path.pop()
            done.add(name)
        return None

    return next(filter(None, map(visit, graph)), None)


def main():
    files = read_files()
    texts = {}
    for path, text in files.items():
        texts[module(path)] = texts.get(module(path), "") + text
    exports = read_exports()
    graph = {name: sorted(set(imported(text, exports)) & set(texts) - {name}) for name, text in texts.items()}
    height = {name: -depth for depth, layer in enumerate(LAYERS) for name in layer.split()}
    problems = [f"{name} has no layer in .ci/graph.py" for name in graph if name not in height]
    if not problems:
        upward = [(name, other) for name in graph for other in graph[name] if height[other] > height[name]]
        problems += [f"upward import: {name} -> {other}" for name, other in upward]
    if cycle := find_cycle(graph):
        problems.append("cycle: " + " -> ".join(cycle))
    problems += [f"{path} gives the crate another name" for path, text in files.items() if re.search(r"\bcrate as\b", text)]
    for path, text in files.items():
        if module(path) in BLIND:
            problems += [f"{path} names {name}" for name in sorted(set(HIDDEN.findall(text)))]
    for layer in LAYERS:
        for name in layer.split():
            print(f"{name:12} -> {' '.join(graph.get(name, []))}".rstrip(" ->"))
    print(f"{len(graph)} modules, {sum(map(len, graph.values()))} imports, {len(problems)} problems")
    sys.exit("\n".join(problems) if problems else 0)


main()
