#!/usr/bin/env python3
"""The cases find the bugs that providers really have:   mutants_test.py BUILD [--write] [LANGUAGE...]

BUILD is a build tree. For each LANGUAGE (all of them without one) it makes a repository with `ccmctl plugin new`, which has to pass
the cases, as does examples/provider-hetzner for "example"; then each bug of bugs.py is put into it, alone, and one of the cases that are meant for it has to fail. At most two bugs
may stay unseen. --write writes what was found into found.json, from which docs/reference/conformance.md is made.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bugs import BUGS

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "templates"))
from newcomer import NAME, environment, run  # noqa: E402

FOUND = FOLDER / "found.json"
MOST_UNSEEN = 2


class Repository:
    def __init__(self, folder, prefix, language):
        self.path = folder / language
        self.ccmctl = prefix / "bin/ccmctl"
        self.variables = {**environment(prefix, "/usr/local/go/bin"), "GOFLAGS": "", "GOTOOLCHAIN": "local"}
        run(self.ccmctl, "plugin", "new", "--lang", language, "--directory", self.path, NAME)
        kind = [] if language == "go" else ["-DCMAKE_BUILD_TYPE=Debug"]
        if language != "rust":
            run("cmake", "-S", self.path, "-B", self.path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DBUILD_TESTING=OFF",
                *kind, env=self.variables)
        self.language = language

    def build(self):
        if self.language == "rust":
            run("cargo", "build", "--release", "--offline", cwd=self.path, env=self.variables)
        else:
            run("cmake", "--build", self.path / "build", env=self.variables)

    def plugin(self):
        if self.language == "rust":
            return self.path / f"build/release/lib{NAME.replace('-', '_')}.so"
        return self.path / f"build/lib/ccm/providers/{NAME}.so"

    def cloud(self):
        program = self.path / "build/cloud"
        return program if program.exists() else f"{sys.executable} {self.path / 'tests/cloud.py'}"

    def failing(self, cases=()):
        """The cases that fail, of these or of all."""
        command = [self.ccmctl, "plugin", "check", self.plugin(), f"--cloud={self.cloud()}", "-o", "json"]
        command += ["--case=" + ",".join(cases)] if cases else []
        said = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, env=self.variables).stdout)
        # A file that cannot be loaded would look like one whose cases fail, or like one without a fault.
        assert "cases" in said, said["checks"]
        return {case["id"]: case["text"] for case in said["cases"] if case["result"] in ("fail", "crashed")}

    def with_bug(self, bug):
        """The cases that find it."""
        file = self.path / bug.file
        whole = file.read_text()
        text = bug.text.replace("@NAME@", NAME)
        assert whole.count(text) == 1, f"{bug.name}: {bug.file} has {whole.count(text)} times\n{text}"
        broken = whole.replace(text, bug.instead)
        for package in ("os", "errors"):
            if bug.language in ("go", "example") and f"{package}." in bug.instead and f'"{package}"' not in broken:
                broken = broken.replace("import (\n", f'import (\n\t"{package}"\n', 1)
        if "HttpResponse" in bug.instead and bug.file == "src/lib.rs":
            broken = broken.replace("Host, Ingress", "Host, HttpResponse, Ingress", 1)
        file.write_text(broken)
        try:
            self.build()
            return self.failing(bug.cases)
        finally:
            file.write_text(whole)


class Example(Repository):
    """examples/provider-hetzner, as it is installed."""

    def __init__(self, folder, prefix, _):
        self.path = folder / "example"
        self.ccmctl = prefix / "bin/ccmctl"
        self.variables = {**environment(prefix, "/usr/local/go/bin"), "GOFLAGS": "", "GOTOOLCHAIN": "local"}
        shutil.copytree(prefix / "share/ccm/examples/provider-hetzner", self.path)
        run("go", "mod", "edit", f"-replace=ccm={prefix / 'share/ccm/go'}", cwd=self.path, env=self.variables)

    def build(self):
        run("go", "build", "-buildmode=c-shared", "-o", self.plugin(), ".", cwd=self.path, env=self.variables)
        run("go", "build", "-o", self.cloud(), "./cmd/fake", cwd=self.path, env=self.variables)

    def plugin(self):
        return self.path / "build/hcloud.so"

    def cloud(self):
        return self.path / "build/fake"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":   ")[0])
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    options = parser.parse_intermixed_args()
    languages = options.languages or ["c", "cpp", "go", "rust", "example"]
    found, wrong = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for component in ("sdk", "tools"):
            run("cmake", "--install", options.build, "--component", component, "--prefix", folder / "prefix")
        for language in languages:
            make = Example if language == "example" else Repository
            repository = make(folder, folder / "prefix", language)
            repository.build()
            right = repository.failing()
            wrong += [f"{language} without a bug: {case}: {text}" for case, text in right.items()]
            for bug in [bug for bug in BUGS if bug.language == language]:
                found[bug.name] = sorted(repository.with_bug(bug))
                print(f"{bug.name}: {', '.join(found[bug.name]) or 'NOT FOUND'}", flush=True)
    unseen = [name for name, cases in found.items() if not cases]
    print(f"{len(found) - len(unseen)} of {len(found)} bugs were found")
    if options.write:
        known = json.loads(FOUND.read_text()) if FOUND.exists() else {}
        FOUND.write_text(json.dumps({bug.name: {**known, **found}.get(bug.name, []) for bug in BUGS}, indent=1) + "\n")
    else:
        known = json.loads(FOUND.read_text())
        wrong += [f"{name}: found.json says {known.get(name)}" for name, cases in found.items() if known.get(name) != cases]
    if wrong or len(unseen) > MOST_UNSEEN:
        sys.exit("\n".join([*wrong, *unseen]))


if __name__ == "__main__":
    main()
