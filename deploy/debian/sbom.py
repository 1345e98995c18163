#!/usr/bin/env python3
"""Writes an SPDX 2.3 document for each package of a build tree: what it is, which packages of Debian it was linked with, and
which were compiled into it, since they are headers or archives.

    sbom.py BUILD
"""
import datetime
import hashlib
import json
import pathlib
import re
import sys

import parts


def document(part, deb):
    when = datetime.datetime.fromtimestamp(part.date, datetime.timezone.utc)
    fields = dict(line.split(": ", 1) for line in parts.output("dpkg-deb", "-f", deb).splitlines() if re.match(r"[A-Z]", line))
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    needs = {re.split(r"[ (|]", entry.strip())[0] for entry in fields.get("Depends", "").split(",") if entry.strip()}
    linked = parts.installed(sorted(name for name in needs if not name.startswith("ccm")))
    sources = {source for _, source in linked.values()}
    built = {name: value for name, value in part.compiled_in().items() if value[1] not in sources}

    def package(name, version, **more):
        return {"SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "name": name, "versionInfo": version,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}

    own = package(fields["Package"], fields["Version"], licenseDeclared="Apache-2.0", packageFileName=deb.name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    for found, relation in ((linked, "DYNAMIC_LINK"), (built, "STATIC_LINK")):
        for name, (version, source) in sorted(found.items()):
            packages.append(package(name, version, supplier="Organization: Debian", sourceInfo=f"Debian source package {source}"))
            relations.append((own["SPDXID"], relation, packages[-1]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": deb.stem,
        "documentNamespace": f"https://spdx.org/spdxdocs/{deb.stem}-{digest}",
        "creationInfo": {"created": f"{when:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: deploy/debian/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
                          for one, kind, other in relations]}


def main():
    tree = pathlib.Path(sys.argv[1])
    for part in parts.read(tree):
        [deb] = (tree / "packages").glob(f"{part.package}_*.deb")
        deb.with_suffix(".spdx.json").write_text(json.dumps(document(part, deb), indent=1) + "\n")


if __name__ == "__main__":
    main()
