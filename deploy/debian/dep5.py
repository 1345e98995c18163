"""Debian's machine-readable copyright files (DEP-5), and the SPDX expressions of the licences that they name."""
import re

FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
# Debian's short names that SPDX spells otherwise.
SPDX = {"Expat": "MIT", "MIT": "MIT", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause", "Apache-2.0": "Apache-2.0", "BSL-1.0": "BSL-1.0",
        "ISC": "ISC", "Zlib": "Zlib", "zlib": "Zlib", "curl": "curl", "OpenSSL": "OpenSSL", "CC0-1.0": "CC0-1.0", "Unlicense": "Unlicense",
        "MPL-2.0": "MPL-2.0", "MIT-0": "MIT-0", "X11": "X11", "0BSD": "0BSD", "BSD-2-Clause": "BSD-2-Clause", "BSD-3-Clause": "BSD-3-Clause"}
GNU = re.compile(r"^(A?L?GPL|GFDL)-(\d)(\.\d)?(\+?)$")


class Paragraph(dict):
    """Fields by name; a value keeps its lines."""

    def licence(self):
        return self.get("License", "").split("\n", 1)[0].strip()

    def text(self):
        return "\n".join(f"{name}: {value}" for name, value in self.items()) + "\n"


def read(text):
    """The paragraphs of a file, the header first; none if it is not machine-readable."""
    found = []
    for block in re.split(r"\n[ \t]*\n", text.strip("\n")):
        fields, name = Paragraph(), ""
        for line in block.splitlines():
            if line[:1] in (" ", "\t") and name:
                fields[name] += "\n" + line.rstrip()
            elif (match := re.match(r"([A-Za-z][A-Za-z-]*):\s*(.*)$", line)):
                name = match[1]
                fields[name] = match[2].rstrip()
        if fields:
            found.append(fields)
    return found if found and "copyright-format" in found[0].get("Format", "") else []


def spdx_name(word):
    """SPDX's name of one licence, or a LicenseRef."""
    gnu = GNU.match(word)
    if gnu:
        return f"{gnu[1]}-{gnu[2]}{gnu[3] or '.0'}-{'or-later' if gnu[4] else 'only'}"
    return SPDX.get(word) or "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", word)


def expression(short):
    """The SPDX expression for a short name such as "Expat or Apache-2.0, and BSD-3-clause"; other words are a licence of their own."""
    alternatives = []
    for one in re.split(r"\s+or\s+", re.sub(r",", "", short.strip())):
        names = re.split(r"\s+and\s+", one)
        if not all(re.fullmatch(r"[A-Za-z0-9.+~-]+", name) for name in names):
            return spdx_name(" ".join(short.split()))
        alternatives.append(" AND ".join(map(spdx_name, names)))
    several = len(alternatives) > 1
    return " OR ".join(f"({one})" if several and " AND " in one else one for one in alternatives)


def merged(paragraphs, folder, taken):
    """The paragraphs of one library for a file that has several: without its header and its packaging. Paths are in a folder,
    and a licence whose name stands for another text already gets the folder's name as well. `taken` has name -> text."""
    names, new_texts = {}, []
    for one in paragraphs[1:]:
        if "Files" in one or "License" not in one:
            continue
        name, _, body = one["License"].partition("\n")
        name = name.strip()
        if name not in taken:
            taken[name] = body
            new_texts.append(one)
        elif taken[name] != body:
            names[name] = f"{name}~{folder}"
            new_texts.append(Paragraph({**one, "License": f"{names[name]}\n{body}"}))
    for one in paragraphs[1:]:
        if "Files" not in one:
            continue
        files = [path for path in one["Files"].split() if not path.startswith("debian/")]
        if not files:
            continue
        first, *rest = one.get("License", "").split("\n")
        for old, new in names.items():
            first = re.sub(rf"(?<![\w.+~-]){re.escape(old)}(?![\w.+~-])", new, first)
        yield Paragraph({**one, "Files": " ".join(f"{folder}/{path}" for path in files), "License": "\n".join([first, *rest])})
    yield from new_texts
