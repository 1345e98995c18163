"""The packages of a build tree with the preset "package", what they were made of, and what this machine's dpkg knows of that."""
import dataclasses
import os
import pathlib
import re
import subprocess

# The compiler's and the C library's own headers: the latter is linked, and the former is no part of what it compiles.
TOOLCHAIN = re.compile(r"^(gcc|glibc|linux|libxcrypt)(-|$)")


def output(*command, **settings):
    return subprocess.run(command, check=True, capture_output=True, text=True, **settings).stdout


def installed(names):
    """(version, source) of each package that is installed here."""
    shown = output("dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}\n", *names) if names else ""
    return {line.split()[0]: tuple(line.split()[1:]) for line in shown.splitlines()}


def owners(paths):
    """The packages that hold these files."""
    shown = subprocess.run(["dpkg", "-S", *sorted(paths)], capture_output=True, text=True).stdout if paths else ""
    return {package.split(":")[0] for line in shown.splitlines() for package in line.split(": ")[0].split(", ")}


def compiled_in(tree, files):
    """The packages whose headers or archives went into these files of the build tree: (version, source) by name."""
    if not files:
        return {}
    inputs = output("ninja", "-C", tree, "-t", "inputs", *files).splitlines()
    inputs = [line for line in inputs if not line.startswith("ninja:")]
    objects = [path for path in inputs if path.endswith((".o", ".gch"))]
    headers = {line.strip() for line in output("ninja", "-C", tree, "-t", "deps", *objects).splitlines()
               if line.startswith("    /usr/")}
    found = owners({os.path.realpath(path) for path in headers | {path for path in inputs if path.startswith("/usr/")
                                                                  and path.endswith(".a")}})
    return {name: value for name, value in installed(sorted(found)).items() if not TOOLCHAIN.match(value[1])}


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
