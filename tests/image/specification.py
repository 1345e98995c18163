"""Holds an image layout against the OCI image specification 1.1 and gives its parts."""
import gzip
import hashlib
import io
import json
import pathlib
import re
import tarfile

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
# descriptor.md and annotations.md.
DIGEST = re.compile(r"sha256:[a-f0-9]{64}")
REFERENCE = re.compile(r"[A-Za-z0-9]+([-._:@+]|--)?([A-Za-z0-9]+([-._:@+]|--)?)*(/[A-Za-z0-9]+([-._:@+][A-Za-z0-9]+)*)*")
# config.md: Go's names.
PLATFORMS = {("linux", "amd64"), ("linux", "arm64")}


def sha256(blob):
    return "sha256:" + hashlib.sha256(blob).hexdigest()


class Specification:
    """Each check is one of `test`, a TestCase."""

    def __init__(self, test, folder):
        self.test, self.folder = test, pathlib.Path(folder)
        self.seen = set()

    def blob(self, descriptor, media_type):
        self.test.assertLessEqual({"mediaType", "digest", "size"}, set(descriptor))
        self.test.assertEqual(descriptor["mediaType"], media_type)
        self.test.assertRegex(descriptor["digest"], f"^{DIGEST.pattern}$")
        content = (self.folder / "blobs/sha256" / descriptor["digest"].removeprefix("sha256:")).read_bytes()
        self.test.assertEqual((sha256(content), len(content)), (descriptor["digest"], descriptor["size"]))
        self.check_annotations(descriptor)
        self.seen.add(descriptor["digest"])
        return content

    def check_annotations(self, holder):
        for key, value in holder.get("annotations", {}).items():
            self.test.assertTrue(key)
            self.test.assertIsInstance(value, str)

    def images(self):
        """(configuration, manifest, archives of the layers) of each image; nothing else is in the layout."""
        layout = json.loads((self.folder / "oci-layout").read_bytes())
        self.test.assertEqual(layout, {"imageLayoutVersion": "1.0.0"})
        found = list(self.index_images(json.loads((self.folder / "index.json").read_bytes()), named=True))
        files = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        self.test.assertEqual(files, {"oci-layout", "index.json"} | {f"blobs/{name.replace(':', '/')}" for name in self.seen})
        return found

    def index_images(self, index, named=False):
        self.test.assertEqual((index["schemaVersion"], index["mediaType"]), (2, INDEX))
        self.check_annotations(index)
        for descriptor in index["manifests"]:
            if named:
                self.test.assertRegex(descriptor["annotations"]["org.opencontainers.image.ref.name"], f"^{REFERENCE.pattern}$")
            if descriptor["mediaType"] == INDEX:
                yield from self.index_images(json.loads(self.blob(descriptor, INDEX)))
            else:
                config, manifest, layers = self.image(descriptor)
                platform = descriptor["platform"]
                self.test.assertEqual((platform["os"], platform["architecture"]), (config["os"], config["architecture"]))
                yield config, manifest, layers

    def image(self, descriptor):
        manifest = json.loads(self.blob(descriptor, MANIFEST))
        self.test.assertEqual((manifest["schemaVersion"], manifest["mediaType"]), (2, MANIFEST))
        self.check_annotations(manifest)
        config = json.loads(self.blob(manifest["config"], CONFIG))
        self.test.assertIn((config["os"], config["architecture"]), PLATFORMS)
        self.test.assertRegex(config["created"], f"^{TIME.pattern}$")
        self.test.assertEqual(config["rootfs"]["type"], "layers")
        archives = [gzip.decompress(self.blob(layer, LAYER)) for layer in manifest["layers"]]
        self.test.assertEqual(config["rootfs"]["diff_ids"], [sha256(archive) for archive in archives])
        made = [entry for entry in config["history"] if not entry.get("empty_layer")]
        self.test.assertEqual(len(made), len(archives))
        for archive in archives:
            self.layer(archive)
        return config, manifest, archives

    def layer(self, archive):
        """layer.md: no entry twice, no path that leaves the root."""
        with tarfile.open(fileobj=io.BytesIO(archive)) as entries:
            names = entries.getnames()
            self.test.assertEqual(len(names), len(set(names)))
            for entry in entries:
                self.test.assertFalse(entry.name.startswith("/") or ".." in pathlib.PurePath(entry.name).parts, entry.name)
                self.test.assertIn(entry.type, (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE))
