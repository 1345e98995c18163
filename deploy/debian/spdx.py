"""SPDX 2.3 documents: what a package or an image is, and which packages of Debian are in it or beside it."""
import datetime
import json
import pathlib
import re
import urllib.parse

import dep5

ORGANIZATION = "Organization: ccm maintainers (maintainers@ccm.invalid)"


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def purl(kind, namespace, name, version, **qualifiers):
    """A package URL, with its qualifiers in the order of their names."""
    said = "&".join(f"{key}={urllib.parse.quote(value, safe='.-_~')}" for key, value in sorted(qualifiers.items()) if value)
    path = "/".join(urllib.parse.quote(part, safe=".-_~") for part in (namespace, name) if part)
    return f"pkg:{kind}/{path}@{urllib.parse.quote(version, safe='.-_~:' if kind == 'oci' else '.-_~')}" + (f"?{said}" if said else "")


def distribution(root="/"):
    """("debian", "debian-12") of a system."""
    text = (pathlib.Path(root) / "usr/lib/os-release").read_text()
    fields = {line.split("=", 1)[0]: line.split("=", 1)[1].strip('"') for line in text.splitlines() if "=" in line}
    return fields["ID"], f"{fields['ID']}-{fields.get('VERSION_ID', 'sid')}"


class Document:
    def __init__(self, name, digest, date, tool):
        when = datetime.datetime.fromtimestamp(date, datetime.timezone.utc)
        self.head = {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": f"{when:%Y-%m-%dT%H:%M:%SZ}", "creators": [f"Tool: {tool}", ORGANIZATION]}}
        self.packages, self.relations, self.licences = {}, [], {}

    def add(self, name, version, url, licence, supplier=ORGANIZATION, **more):
        entry = {"SPDXID": identifier(name), "name": name, "versionInfo": version, "supplier": supplier,
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                 "copyrightText": "NOASSERTION",
                 "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}], **more}
        return self.packages.setdefault(entry["SPDXID"], entry)

    def relate(self, one, kind, other):
        relation = {"spdxElementId": one if isinstance(one, str) else one["SPDXID"], "relationshipType": kind,
                    "relatedSpdxElement": other["SPDXID"]}
        if relation not in self.relations:
            self.relations.append(relation)

    def describe(self, entry):
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", entry)
        return entry

    def add_library(self, name, version, source, architecture, root="/"):
        """A package of Debian, with the licence that it says itself."""
        said = pathlib.Path(root) / f"usr/share/doc/{name}/copyright"
        words = said.read_text(encoding="utf-8", errors="replace") if said.is_file() else "Not known."
        paragraphs = dep5.read(words)
        of_files = [one for one in paragraphs if one.licence() and "Files" in one and not one["Files"].startswith("debian/")]
        whole = next((one for one in of_files if "*" in one["Files"].split()), None)
        if of_files:
            said_of = sorted({dep5.expression(one.licence()) for one in ([whole] if whole else of_files)})
            licence = " AND ".join(f"({one})" if " OR " in one and len(said_of) > 1 else one for one in said_of)
        else:
            # Not machine-readable: its own words, whole.
            licence = f"LicenseRef-{name}"
            self.licences[licence] = words
        for reference in re.findall(r"LicenseRef-[A-Za-z0-9.-]+", licence):
            texts = [self.licences[reference]] if reference in self.licences else [one["License"] for one in paragraphs if one.licence() and dep5.spdx_name(one.licence()) == reference]
            self.licences.setdefault(reference, (max(texts, key=len) if texts else f"See /usr/share/doc/{name}/copyright of {name}"))
        vendor, release = distribution(root)
        more = {"copyrightText": " ".join(whole["Copyright"].split())} if whole and whole.get("Copyright") else {}
        return self.add(name, version, purl("deb", vendor, name, version, arch=architecture, distro=release), licence,
                        supplier="Organization: Debian", sourceInfo=f"Debian source package {source}", **more)

    def text(self):
        whole = {**self.head, "packages": list(self.packages.values()), "relationships": self.relations}
        if self.licences:
            whole["hasExtractedLicensingInfos"] = [{"licenseId": name, "extractedText": text, "name": name.removeprefix("LicenseRef-")}
                                                   for name, text in sorted(self.licences.items())]
        return json.dumps(whole, indent=1) + "\n"
