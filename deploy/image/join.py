#!/usr/bin/python3
"""Joins images for several architectures under one name, of which each machine takes its own:

    deploy/image/join.py build-image build-package/image build-arm64/image
"""
import argparse
import pathlib
import shutil
import sys

from layout import INDEX, REFERENCE, Image, Layout, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="folder of the layout to write; the archive is beside it")
    parser.add_argument("layouts", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    try:
        sources = [Layout(folder) for folder in options.layouts]
        images = [Image.read(layout) for layout in sources]
        architectures = [image.config["architecture"] for image in images]
        if len(set(architectures)) != len(images):
            raise ValueError(f"two images are for the same architecture: {', '.join(architectures)}")
        if len({image.reference for image in images}) != 1:
            raise ValueError("the images have different tags")
        joined = Layout(options.output)
        joined.create()
        manifests = []
        for layout in sources:
            shutil.copytree(layout.folder / "blobs", joined.folder / "blobs", dirs_exist_ok=True)
            [manifest] = layout.index()["manifests"]
            manifests.append({key: manifest[key] for key in ("mediaType", "digest", "size", "platform")})
        index = joined.put(INDEX, text({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}),
                           annotations={REFERENCE: images[0].reference})
        joined.write_index([index])
        joined.write_archive({})
    except (ValueError, OSError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
    print(f"{joined.folder}.tar: {', '.join(architectures)}")


if __name__ == "__main__":
    main()
