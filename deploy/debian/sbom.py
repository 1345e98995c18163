#!/usr/bin/env python3
"""Writes an SPDX 2.3 document for each package of a build tree: what it is, which packages of Debian it was linked with, and
which were compiled into it, since they are headers or archives.

    sbom.py BUILD       SOURCE_DATE_EPOCH is the documents' date
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

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
    """The packages whose headers or archives went into these files of the build tree."""
    if not files:
        return set()
    inputs = output("ninja", "-C", tree, "-t", "inputs", *files).splitlines()
    inputs = [line for line in inputs if not line.startswith("ninja:")]
    objects = [path for path in inputs if path.endswith((".o", ".gch"))]
    headers = {line.strip() for line in output("ninja", "-C", tree, "-t", "deps", *objects).splitlines()
               if line.startswith("    /usr/")}
    return owners({os.path.realpath(path) for path in headers | {path for path in inputs if path.startswith("/usr/")
                                                                 and path.endswith(".a")}})


def built_files(tree, deb):
    """The files of the build tree that the package holds."""
    names = {pathlib.Path(line.split()[-1]).name for line in output("dpkg-deb", "-c", deb).splitlines()
             if line.startswith("-") and re.search(r"\./usr/(bin/|lib/ccm/|lib/[^/]*\.a$)", line)}
    places = ("bin", "lib/ccm/controllers", "lib/ccm/providers", "sdk/testing")
    return [f"{place}/{name}" for place in places for name in sorted(names) if (tree / place / name).is_file()]


def document(tree, deb, date):
    fields = dict(line.split(": ", 1) for line in output("dpkg-deb", "-f", deb).splitlines() if re.match(r"[A-Z]", line))
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    needs = {re.split(r"[ (|]", entry.strip())[0] for entry in fields.get("Depends", "").split(",") if entry.strip()}
    linked = installed(sorted(name for name in needs if not name.startswith("ccm")))
    sources = {source for _, source in linked.values()}
    headers = installed(sorted(compiled_in(tree, built_files(tree, deb))))
    built = {name: value for name, value in headers.items() if value[1] not in sources and not TOOLCHAIN.match(value[1])}

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
        "creationInfo": {"created": date, "creators": ["Tool: deploy/debian/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}
                          for one, kind, other in relations]}


def main():
    tree = pathlib.Path(sys.argv[1])
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    for deb in sorted((tree / "packages").glob("*.deb")):
        text = json.dumps(document(tree, deb, f"{when:%Y-%m-%dT%H:%M:%SZ}"), indent=1) + "\n"
        deb.with_suffix(".spdx.json").write_text(text)


if __name__ == "__main__":
    main()
