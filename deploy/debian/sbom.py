#!/usr/bin/env python3
"""Writes an SPDX 2.3 document for each package of a build tree: what it is, which packages of Debian it was linked with, and
which were compiled into it, since they are headers or archives.

    sbom.py BUILD
"""
import hashlib
import pathlib
import re
import sys

import parts
import spdx


def document(part, deb):
    fields = dict(line.split(": ", 1) for line in parts.output("dpkg-deb", "-f", deb).splitlines() if re.match(r"[A-Z]", line))
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    whole = spdx.Document(deb.stem, digest, part.date, "deploy/debian/sbom.py")
    name, version, architecture = fields["Package"], fields["Version"], fields["Architecture"]
    own = whole.describe(whole.add(name, version, spdx.purl("deb", "ccm", name, version, arch=architecture), "Apache-2.0",
                                   packageFileName=deb.name, primaryPackagePurpose="APPLICATION",
                                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}]))
    needs = {re.split(r"[ (|:]", entry.strip())[0] for entry in fields.get("Depends", "").split(",") if entry.strip()}
    linked = parts.installed(sorted(name for name in needs if not name.startswith("ccm")))
    sources = {source for _, source, _ in linked.values()}
    built = {name: value for name, value in part.compiled_in().items() if value[1] not in sources}
    for found in (linked, built):
        for name, (version, source, kind) in sorted(found.items()):
            relation = "STATIC_LINK" if found is built else "DYNAMIC_LINK" if name.startswith("lib") else "DEPENDS_ON"
            whole.relate(own, relation, whole.add_library(name, version, source, kind))
    return whole.text()


def main():
    tree = pathlib.Path(sys.argv[1])
    for part in parts.read(tree):
        [deb] = (tree / "packages").glob(f"{part.package}_*.deb")
        deb.with_suffix(".spdx.json").write_text(document(part, deb))


if __name__ == "__main__":
    main()
