#!/usr/bin/env python3
"""Writes what Debian's policy asks of each package of a build tree: its copyright, with that of the libraries that are
compiled into it, and its changelog, made of the part's CHANGELOG.md.

    documents.py BUILD MAINTAINER
"""
import datetime
import email.utils
import gzip
import pathlib
import re
import sys
import textwrap

import dep5
import parts

SOURCES = pathlib.Path(__file__).resolve().parents[2]
OWN = (SOURCES / "debian/copyright").read_text()
# Two megabytes of names, and a licence that asks for no notice beside a program.
NO_NOTICE = re.compile(r"^boost")
BOOST = "The Boost Software License 1.0, which asks for no notice beside machine-executable object code."


def plain(text):
    """Markdown without its marks: links keep their words, code stays as it is."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`([^`]*)`|\*\*", lambda match: match.group(1) or "", text)


def paragraphs(text):
    """Headings and items ("- ...") of a section of CHANGELOG.md, each as one line."""
    found, open_one = [], False
    for line in text.splitlines():
        if not line.strip():
            open_one = False
        elif open_one and line.startswith("  "):
            found[-1] += " " + line.strip()
        else:
            found.append(line.strip())
            open_one = True
    return [plain(" ".join(line.split())) for line in found]


def entries(text):
    """The paragraphs of a section as a Debian changelog has them."""
    for line in paragraphs(text):
        first = "  * " if line.startswith("- ") else "  "
        words = line.removeprefix("- ") if line.startswith("- ") else f"[ {line} ]"
        yield textwrap.fill(words, 78, initial_indent=first, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def changelog(package, sections, date, maintainer):
    """A Debian changelog with these sections (version, note beside it, text), the newest first."""
    for version, note, text in sections:
        when = datetime.datetime.fromisoformat(f"{note}T00:00:00+00:00").timestamp() if re.fullmatch(r"\d{4}-\d\d-\d\d", note) else date
        yield f"{package} ({version}) stable; urgency=medium\n\n" + "\n".join(entries(text)) + \
            f"\n\n -- {maintainer}  {email.utils.formatdate(when)}\n"


def sections(part, version):
    """The sections of the part's CHANGELOG.md from this version on down."""
    path = parts.output(SOURCES / "tools/release", "changelog", part).strip()
    found = re.findall(r"^## (\S+)(?: \(([^)\n]*)\))?\n+(.*?)\s*(?=^## |\Z)", (SOURCES / path).read_text(), re.M | re.S)
    start = [row[0] for row in found].index(version)
    return found[start:]


def copyright(compiled):
    """Our own words, then those of each library of which a part is inside, as one machine-readable file."""
    header, *own = dep5.read(OWN)
    paragraphs = [dep5.Paragraph({name: value for name, value in header.items() if name != "Comment"}), *own]
    taken = {}
    list(dep5.merged([header, *own], "", taken))
    sources = {}
    for name, (version, source, _) in sorted(compiled.items()):
        sources.setdefault(source, (name, version))
    for source, (name, version) in sorted(sources.items()):
        said = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(encoding="utf-8", errors="replace")
        words = f"Parts of Debian's {source} {version} are compiled in."
        theirs = dep5.read(said)
        if NO_NOTICE.match(source) or not theirs:
            licence = "BSL-1.0" if NO_NOTICE.match(source) else f"see-{source}"
            copied = BOOST if NO_NOTICE.match(source) else said
            body = "".join(f"\n {line}" if line.strip() else "\n ." for line in copied.strip().splitlines())
            theirs = [{}, dep5.Paragraph({"Files": "*", "Copyright": f"the authors; /usr/share/doc/{name}/copyright of Debian has their names",
                                          "License": licence + body})]
        merged = list(dep5.merged(theirs, source, taken))
        merged[0]["Comment"] = words
        paragraphs += merged
    return "\n".join(one.text() for one in paragraphs)


def main():
    tree, maintainer = sys.argv[1:]
    for part in parts.read(tree):
        part.folder.mkdir(parents=True, exist_ok=True)
        (part.folder / "copyright").write_text(copyright(part.compiled_in()))
        text = "\n".join(changelog(part.package, sections(part.part, part.version), part.date, maintainer))
        (part.folder / "changelog.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
