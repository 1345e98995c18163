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
TITLE, VERSION = "org.opencontainers.image.title", "org.opencontainers.image.version"
# The title of the host's layer; a plugin's is the id in its manifest.
HOST = "cloud-controller-manager"


def text(value):
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


class Layout:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def create(self):
        """An empty one, also in the place of another."""
        if self.folder.exists() and not (self.folder / "oci-layout").is_file() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise ValueError(f"{self.folder} is there and holds no image; name a new folder")
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

    def foundation(self):
        """All that the layers up to the host's hold."""
        titles = [layer.get("annotations", {}).get(TITLE) for layer in self.layers]
        below = self.layers[:titles.index(HOST) + 1] if HOST in titles else self.layers
        return set().union(*(layers.names(self.layout.blob(layer)) for layer in below))

    def add(self, layer, made_by, annotations):
        """In the place of the layer of this title, or above all others. Tells whether one was replaced."""
        archive = layer.archive()
        descriptor = self.layout.put(LAYER, layers.compressed(archive), annotations=annotations)
        # The history may have entries without a layer.
        places = [at for at, entry in enumerate(self.config["history"]) if not entry.get("empty_layer")]
        for at, there in enumerate(self.layers):
            if there.get("annotations", {}).get(TITLE) == annotations[TITLE]:
                self.layers[at] = descriptor
                self.config["rootfs"]["diff_ids"][at] = layers.digest(archive)
                self.config["history"][places[at]]["created_by"] = made_by
                return True
        self.layers.append(descriptor)
        self.config["rootfs"]["diff_ids"].append(layers.digest(archive))
        self.config["history"].append({"created": self.config["created"], "created_by": made_by})
        return False

    def label(self, key, value):
        self.config["config"]["Labels"][key] = value
        self.annotations[key] = value

    def put_plugin(self, layer, plugin):
        """One layer for each plugin: another version of it takes the place of the one that is there, and then this is True."""
        name, version = plugin.manifest["id"], plugin.manifest["version"]
        self.label(f"{name}.version", version)
        return self.add(layer, f"{name} {version}", {TITLE: name, VERSION: version})

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
