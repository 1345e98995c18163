"""A folder with an image, as the OCI image layout has it, and the archive of it that container engines load."""
import io
import json
import pathlib
import shutil
import tarfile

import layer as layers

CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
REFERENCE = "org.opencontainers.image.ref.name"


def text(value):
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


class Layout:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def create(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "blobs/sha256").mkdir(parents=True)
        (self.folder / "oci-layout").write_bytes(text({"imageLayoutVersion": "1.0.0"}))

    def blob(self, descriptor):
        return (self.folder / path(descriptor)).read_bytes()

    def put(self, media_type, blob, **more):
        """Keeps the blob and describes it."""
        descriptor = {"mediaType": media_type, "digest": layers.digest(blob), "size": len(blob), **more}
        (self.folder / path(descriptor)).write_bytes(blob)
        return descriptor

    def index(self):
        return json.loads((self.folder / "index.json").read_bytes())

    def write_index(self, descriptors):
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": descriptors}
        (self.folder / "index.json").write_bytes(text(index))

    def write_archive(self, more):
        """Beside the layout, of its files and of more."""
        files = {str(found.relative_to(self.folder)): found.read_bytes() for found in self.folder.rglob("*") if found.is_file()}
        with tarfile.open(f"{self.folder}.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, contents in sorted({**files, **more}.items()):
                info = tarfile.TarInfo(name)
                info.size = len(contents)
                archive.addfile(info, io.BytesIO(contents))

    def remove_unused(self, used):
        for path in (self.folder / "blobs/sha256").iterdir():
            if f"sha256:{path.name}" not in used:
                path.unlink()


class Image:
    """One image in a layout: its configuration, and descriptors of its layers."""

    def __init__(self, layout, config, annotations, reference):
        self.layout, self.config, self.annotations, self.reference = layout, config, annotations, reference
        self.layers = []

    @classmethod
    def read(cls, layout):
        manifests = layout.index()["manifests"]
        if len(manifests) != 1 or manifests[0]["mediaType"] != MANIFEST:
            raise ValueError(f"{layout.folder} holds {len(manifests)} images or an index, and one image is what a layer is added to")
        manifest = json.loads(layout.blob(manifests[0]))
        image = cls(layout, json.loads(layout.blob(manifest["config"])), manifest.get("annotations", {}),
                    manifests[0].get("annotations", {}).get(REFERENCE, "latest"))
        image.layers = manifest["layers"]
        return image

    def paths(self):
        return set().union(*(layers.names(self.layout.blob(layer)) for layer in self.layers))

    def add(self, layer, made_by, annotations):
        archive = layer.archive()
        self.layers.append(self.layout.put(LAYER, layers.compressed(archive), annotations=annotations))
        self.config["rootfs"]["diff_ids"].append(layers.digest(archive))
        self.config["history"].append({"created": self.config["created"], "created_by": made_by})

    def label(self, key, value):
        self.config["config"]["Labels"][key] = value
        self.annotations[key] = value

    def add_plugin(self, layer, plugin):
        name, version = plugin.manifest["id"], plugin.manifest["version"]
        self.add(layer, f"{name} {version}",
                 {"org.opencontainers.image.title": name, "org.opencontainers.image.version": version})
        self.label(f"{name}.version", version)

    def write(self):
        config = self.layout.put(CONFIG, text(self.config))
        manifest = self.layout.put(MANIFEST, text({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": self.layers, "annotations": self.annotations}))
        self.layout.remove_unused({descriptor["digest"] for descriptor in (config, manifest, *self.layers)})
        platform = {"os": self.config["os"], "architecture": self.config["architecture"]}
        self.layout.write_index([{**manifest, "platform": platform, "annotations": {REFERENCE: self.reference}}])
        self.write_archive(config)

    def write_archive(self, config):
        """With a list that `docker load` of before OCI reads as well."""
        name = f"cloud-controller-manager:{self.reference}"
        listed = [{"Config": path(config), "RepoTags": [name], "Layers": [path(layer) for layer in self.layers]}]
        self.layout.write_archive({"manifest.json": text(listed)})
