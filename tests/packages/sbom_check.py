#!/usr/bin/env python3
"""Reads the SPDX documents of packages and of the image with SPDX's own tools (spdx-tools, packageurl-python), which know nothing of
how they were made:

    check.py DOCUMENT...         FILE.spdx.json, or the folder of an image's document
"""
import json
import pathlib
import sys
import unittest

from packageurl import PackageURL
from spdx_tools.spdx.model import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

DOCUMENTS = []
LINKS = {RelationshipType.STATIC_LINK, RelationshipType.DYNAMIC_LINK, RelationshipType.CONTAINS, RelationshipType.DEPENDS_ON}


def blob(layout, digest):
    return layout / "blobs" / digest.replace(":", "/")


class SbomTest(unittest.TestCase):
    def path(self, document):
        """The file, which in the folder of an image is what the artifact holds."""
        if not document.is_dir():
            return document
        [artifact] = json.loads((document / "index.json").read_text())["manifests"]
        manifest = json.loads(blob(document, artifact["digest"]).read_text())
        self.assertEqual(manifest["artifactType"], "application/spdx+json")
        image = pathlib.Path(str(document).removesuffix("-sbom"))
        [described] = json.loads((image / "index.json").read_text())["manifests"]
        self.assertEqual(manifest["subject"]["digest"], described["digest"])
        copy = document / "sbom.spdx.json"
        copy.write_bytes(blob(document, manifest["layers"][0]["digest"]).read_bytes())
        self.addCleanup(copy.unlink)
        return copy

    def read(self, document):
        return parse_file(str(self.path(document)))

    def test_each_is_valid(self):
        for name in DOCUMENTS:
            with self.subTest(name.name):
                self.assertEqual([fault.validation_message for fault in validate_full_spdx_document(self.read(name))], [])

    def test_each_package_has_purl_supplier_and_licence(self):
        for name in DOCUMENTS:
            for package in self.read(name).packages:
                with self.subTest(f"{name.name} {package.name}"):
                    [url] = [PackageURL.from_string(one.locator) for one in package.external_references if one.reference_type == "purl"]
                    self.assertIn(url.type, ("deb", "generic", "oci"))
                    if url.type != "oci":
                        self.assertEqual((url.name, url.version), (package.name.lower(), package.version))
                    self.assertTrue(package.supplier.name)
                    self.assertNotIn(str(package.license_declared), ("NOASSERTION", "None"))

    def test_each_package_stands_in_a_relation(self):
        for name in DOCUMENTS:
            document = self.read(name)
            related = {relation.related_spdx_element_id for relation in document.relationships if relation.relationship_type in LINKS}
            [root] = [relation.related_spdx_element_id for relation in document.relationships
                      if relation.relationship_type == RelationshipType.DESCRIBES]
            self.assertEqual({package.spdx_id for package in document.packages}, related | {root}, name.name)

    def test_what_is_compiled_in_is_told(self):
        compiled = {}
        for name in DOCUMENTS:
            document = self.read(name)
            names = {package.spdx_id: package.name for package in document.packages}
            for relation in document.relationships:
                if relation.relationship_type == RelationshipType.STATIC_LINK:
                    compiled.setdefault(name.name.split("_")[0], set()).add(names[relation.related_spdx_element_id])
        for name in {"ccm-host", "image-sbom"} & {document.name.split("_")[0] for document in DOCUMENTS}:
            found = " ".join(sorted(compiled.get(name, ())))
            self.assertRegex(found, r"libboost[\d.]+-dev", name)
            for library in ("libspdlog-dev", "libsimdjson-dev", "nlohmann-json3-dev"):
                self.assertIn(library, found, name)


if __name__ == "__main__":
    DOCUMENTS = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    assert DOCUMENTS, "no document"
    unittest.main(argv=sys.argv[:1])
