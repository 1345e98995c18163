#!/usr/bin/env python3
"""Writes a program's manual page, gzipped, from its own --help and that of its subcommands:

    manual.py PROGRAM SECTION SUMMARY VERSION OUTPUT.gz      SOURCE_DATE_EPOCH is the page's date
"""
import datetime
import gzip
import os
import pathlib
import re
import subprocess
import sys

# An entry of a list begins near the margin, its text is further to the right.
ENTRY = re.compile(r"^ {2,8}(\S.*?)(?: {2,}(\S.*))?$")
HEADING = re.compile(r"^(\S[^:]*):$")


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def usage(program, *command):
    """The text of --help, with the program's name instead of its path."""
    text = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "100"}).stdout
    return text.replace(str(program), program.name).strip().splitlines()


def parts(lines):
    """Splits a help text: the lines above the usage, the usage, (heading, lines) of each list, and other lines."""
    head, synopsis, lists, others = [], "", [], []
    for line in lines:
        if line.startswith("Usage: "):
            synopsis = line.removeprefix("Usage: ")
        elif HEADING.match(line):
            lists.append((line.rstrip(":"), []))
        elif lists and (line.startswith(" ") or not line):
            lists[-1][1].append(line)
        elif not synopsis:
            head.append(line)
        elif line:
            others.append(line)
    return head, synopsis, lists, others


def listed(lines):
    """The (name, text) of each entry of a list."""
    entries = []
    for line in lines:
        entry = ENTRY.match(line)
        if entry:
            entries.append((entry[1], [entry[2]] if entry[2] else []))
        elif line.strip() and entries:
            entries[-1][1].append(line.strip())
    return [(name, " ".join(text)) for name, text in entries]


def paragraphs(lines):
    return [escaped(line) if line else ".PP" for line in lines]


def definitions(entries):
    for name, text in entries:
        yield from (".TP", f".B {escaped(name)}", escaped(text))


def commands(program, entries, *above):
    """A section for each subcommand, and for those below it."""
    for name, _ in entries:
        command = (*above, name)
        head, synopsis, lists, _ = parts(usage(program, *command))
        lists = {heading: listed(lines) for heading, lines in lists}
        if "Subcommands" in lists:
            yield from commands(program, lists["Subcommands"], *command)
            continue
        yield from (f".SS {escaped(synopsis)}", *paragraphs(head))
        for heading in ("Positionals", "Options"):
            yield from definitions(entry for entry in lists.get(heading, []) if not entry[0].startswith("-h,"))


def page(program, section, summary, version):
    date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    head, synopsis, lists, others = parts(usage(program))
    yield f'.TH {escaped(program.name.upper())} {section} {date:%Y\\-%m\\-%d} "{program.name} {version}"'
    yield from (".SH NAME", f"{escaped(program.name)} \\- {escaped(summary)}")
    yield from (".SH SYNOPSIS", f".B {escaped(synopsis)}", ".SH DESCRIPTION", *paragraphs(head))
    for line in others:
        yield from (".PP", escaped(line))
    for heading, lines in lists:
        yield f'.SH "{escaped(heading.upper())}"'
        if heading == "Examples":
            yield from (".nf", *(escaped(line.strip()) for line in lines if line), ".fi")
        else:
            yield from definitions(listed(lines))
    for heading, lines in lists:
        if heading == "Subcommands":
            yield from (".SH EACH SUBCOMMAND", *commands(program, listed(lines)))


def main():
    program, section, summary, version, output = sys.argv[1:]
    text = "\n".join(page(pathlib.Path(program), section, summary, version)) + "\n"
    with open(output, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode())


if __name__ == "__main__":
    main()
