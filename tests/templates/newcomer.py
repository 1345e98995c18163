#!/usr/bin/env python3
"""To a Service with an address, for an author of a provider:   newcomer.py [--packages=FOLDER] LANGUAGE...

For each language it makes a repository in a folder of its own and runs the steps of that repository's CI file, then "Try it" of
its README. It prints the seconds of each. The programs are those of PATH, the SDK's folder is CCM_PREFIX, else /usr.

With --packages it begins on a bare Debian 12 as root, and installs the project's packages from FOLDER, the compiler as the CI file
does, and kubectl.
"""
import argparse
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

NAME = "my-cloud"
STEPS = ("Build", "Test", "Package")
SERVICE = re.compile(r"^service/web +LoadBalancer +\S+ +203\.0\.113\.\d+ ", re.M)


def run(*command, **settings):
    """Its output; what it leaves running ends with it."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True, **settings)
        try:
            code = process.wait(timeout=900)
        except subprocess.TimeoutExpired:
            code = "it did not end"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        said.seek(0)
        text = said.read()
    if code != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}\n{text}")
    return text


def steps(repository):
    """The commands of its CI file by the names of the steps."""
    text = (repository / ".github/workflows/ci.yml").read_text()
    found = {}
    for name, block, line in re.findall(r"^ +- name: (.+)\n +run: (?:\|\n((?: {10}.*\n)+)|(.+)\n)", text, re.M):
        found[name] = re.sub(r"^ {10}", "", block, flags=re.M) or line
    return found


def commands(repository, title):
    """The indented lines of that section of its README."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", (repository / "README.md").read_text(), re.M | re.S).group(1)
    return "".join(line + "\n" for line in re.findall(r"^ {4}(.*)", section, re.M))


def environment(prefix, *folders):
    path = ":".join([f"{prefix}/bin", *map(str, folders), os.environ["PATH"]])
    # Compilers that rustup installed are found by the folder of their user, whatever HOME is.
    rustup = os.environ.get("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup"))
    return {**os.environ, "CCM_PREFIX": str(prefix), "PATH": path, "RUSTUP_HOME": rustup}


def step(repository, name, variables):
    return run("bash", "-euxc", steps(repository)[name], cwd=repository, env=variables)


def try_it(repository, variables):
    try:
        said = run("bash", "-euxc", commands(repository, "Try it"), cwd=repository, env=variables)
    except AssertionError as error:
        logs = [f"{log.name}:\n{log.read_text()}" for log in sorted(repository.glob("*.log"))]
        raise AssertionError("\n".join([str(error), *logs])) from None
    assert SERVICE.search(said), said
    return said


def install_packages(folder):
    names = ["host", "controller-*", "provider-sandbox", "sandbox", "tools", "dev"]
    files = [str(path) for name in names for path in folder.glob(f"ccm-{name}_*.deb")]
    run("apt-get", "update", "-q")
    run("apt-get", "install", "-y", "-q", "--no-install-recommends", *files, "kubernetes-client")


def install_compiler(repository, variables):
    step(repository, next(iter(steps(repository))), variables)  # the first one


def walk(language, packages):
    """The seconds of each step."""
    # The host loads no file below a folder to which others may write; a sticky one such as /tmp is fine.
    with tempfile.TemporaryDirectory() as folder:
        repository = pathlib.Path(folder, NAME)
        variables = {**environment(os.environ.get("CCM_PREFIX", "/usr")), "HOME": folder}
        new = {"New": lambda: run("ccmctl", "plugin", "new", "--lang", language, NAME, cwd=folder, env=variables)}
        actions = new if packages is None else {
            "Packages": lambda: install_packages(packages), **new, "Compiler": lambda: install_compiler(repository, variables)}
        for name in STEPS:
            actions[name] = lambda name=name: step(repository, name, variables)
        actions["Try it"] = lambda: try_it(repository, variables)
        seconds = {}
        for name, action in actions.items():
            start = time.monotonic()
            action()
            seconds[name] = time.monotonic() - start
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":   ")[0])
    parser.add_argument("--packages", type=pathlib.Path, help="the folder of the project's Debian packages")
    parser.add_argument("languages", nargs="+", metavar="LANGUAGE")
    options = parser.parse_args()
    for each in options.languages:
        took = walk(each, options.packages)
        if each == options.languages[0]:
            print("| seconds | " + " | ".join(took) + " | sum |")
            print("| --- |" + " ---: |" * (len(took) + 1))
        print(f"| {each} | " + " | ".join(f"{seconds:.1f}" for seconds in took.values()) + f" | {sum(took.values()):.1f} |", flush=True)


if __name__ == "__main__":
    main()
