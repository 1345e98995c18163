#!/usr/bin/env python3
"""Modules of the Rust SDK, and headers of C and C++, use each other one way: a part can be read, and changed, without those that use it.

    circles.py [ROOT]    one line for each circle; exit code 1 when there is one

A method counts for nobody: Rust finds it without a path. So does what `super::` names, as tests within a file do.
"""
import re
import sys
from pathlib import Path

RUST = "sdk/rust/ccm/src"
HEADERS = ("sdk/include", "core", "plugins", "sandbox", "tools")
# A header and the one with its functions, which it includes at its end: together they are one class.
HALVES = {("sdk/include/ccm/pattern.hpp", "sdk/include/ccm/detail/pattern_compiler.hpp")}


def rust_modules(folder):
    """The modules of a crate, each with those that its paths name: by their own name, or by a name that lib.rs hands out."""
    sources = {path.stem: path.read_text() for path in sorted(folder.glob("*.rs"))}
    exported = {name: module for module, names in re.findall(r"pub use (\w+)::(\{[^}]*\}|\w+);", sources.pop("lib", ""))
                for name in re.findall(r"\w+", names)}
    used = {}
    for module, text in sources.items():
        names = {name for path in re.findall(r"\bcrate::(\{[^}]*\}|\w+)", text) for name in re.findall(r"\w+", path)}
        used[module] = sorted({exported.get(name, name) for name in names} & sources.keys() - {module})
    return used


def headers(root):
    """The headers below the folders of HEADERS, each with those that it includes."""
    sources = {str(path.relative_to(root)): path for folder in HEADERS for path in sorted(Path(root, folder).rglob("*.h*"))
               if path.suffix in (".h", ".hpp")}
    used = {}
    for name, path in sources.items():
        included = re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(errors="replace"), re.M)
        places = [candidate for header in included
                  for candidate in (f"sdk/include/{header}", header, str(Path(name).parent / header))]
        used[name] = sorted(place for place in set(places) & sources.keys() if (name, place) not in HALVES)
    return used


def circle(used):
    """One circle as the list of its parts, the first again at its end; nothing when there is none."""
    done = set()
    for start in used:
        way, rest = [start], [iter(used[start])]
        while way:
            following = next((part for part in rest[-1] if part not in done), None)
            if following in way:
                return way[way.index(following):] + [following]
            if following is not None:
                way.append(following)
                rest.append(iter(used[following]))
                continue
            done.add(way.pop())
            rest.pop()
    return []


def check(root):
    graphs = (rust_modules(Path(root, RUST)), headers(root))
    return [f"a circle: {' -> '.join(found)}" for found in map(circle, graphs) if found]


def main():
    findings = check(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
