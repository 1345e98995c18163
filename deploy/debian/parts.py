"""The packages of a build tree with the preset "package", what they were made of, and what this machine's dpkg knows of that.

    parts.py abi        the virtual package that a host of these sources provides
"""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
# The compiler's and the C library's own headers: the latter is linked, and the former is no part of what it compiles.
TOOLCHAIN = re.compile(r"^(gcc|glibc|linux|libxcrypt)(-|$)")


def output(*command, **settings):
    return subprocess.run(command, check=True, capture_output=True, text=True, **settings).stdout


def installed(names, root="/"):
    """(version, source, architecture) of each package that is installed in a system."""
    form = "${Package} ${Version} ${source:Package} ${Architecture}\n"
    shown = output("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", form, *names) if names else ""
    return {line.split()[0]: tuple(line.split()[1:]) for line in shown.splitlines()}


def owners(paths, root="/"):
    """The packages that hold these files."""
    shown = subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-S", *sorted(paths)],
                           capture_output=True, text=True).stdout if paths else ""
    return {package.split(":")[0] for line in shown.splitlines() for package in line.split(": ")[0].split(", ")}


def compiled_in(tree, files, root="/"):
    """The packages whose headers or archives went into these files of the build tree: (version, source, architecture) by name.
    The system is this machine's, or the folder that a cross compiler takes for one."""
    if not files:
        return {}
    base = str(pathlib.Path(root).resolve()).rstrip("/")
    inputs = output("ninja", "-C", tree, "-t", "inputs", *files).splitlines()
    inputs = [line for line in inputs if not line.startswith("ninja:")]
    objects = [path for path in inputs if path.endswith((".o", ".gch"))]
    used = [line.strip() for line in output("ninja", "-C", tree, "-t", "deps", *objects).splitlines() if line.startswith("    ")]
    used += [path for path in inputs if path.endswith(".a")]
    found = {os.path.realpath(path)[len(base):] for path in used if path.startswith(f"{base}/usr/")}
    return {name: value for name, value in installed(sorted(owners(found, root)), root).items() if not TOOLCHAIN.match(value[1])}


@dataclasses.dataclass
class Part:
    tree: pathlib.Path
    component: str  # of `cmake --install`
    package: str
    part: str       # of tools/release
    version: str
    date: int

    @property
    def folder(self):
        """What is written for this package alone."""
        return self.tree / "debian" / self.component

    def files(self):
        """What was compiled for it, by the name in the build tree."""
        names = [f"lib/ccm/{kind}/{self.component}.so" for kind in ("controllers", "providers")]
        names += {"host": ["bin/cloud-controller-manager"], "tools": ["bin/ccmctl"], "ccm-sandbox": ["bin/ccm-sandbox"],
                  "sdk": ["sdk/testing/libccm_sdk_testing.a"]}.get(self.component, [])
        return [name for name in names if (self.tree / name).is_file()]

    def compiled_in(self):
        return compiled_in(self.tree, self.files())


def read(tree):
    """The table that cmake wrote."""
    rows = [line.split() for line in (pathlib.Path(tree) / "debian/packages").read_text().splitlines()]
    return [Part(pathlib.Path(tree), *row[:4], int(row[4])) for row in rows]


def abi():
    text = (SOURCES / "sdk/include/ccm/abi/plugin.h").read_text()
    major, minor = (re.search(rf"^#define CCM_ABI_{name} (\d+)$", text, re.M)[1] for name in ("MAJOR", "MINOR"))
    return f"ccm-abi-{major} (= {major}.{minor})"


if __name__ == "__main__":
    if sys.argv[1:] != ["abi"]:
        sys.exit(__doc__)
    print(abi())
