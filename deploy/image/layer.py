"""One layer of an image: files in a gzipped tar archive whose bytes follow from the files and the date alone."""
import gzip
import hashlib
import io
import pathlib
import tarfile


class Layer:
    def __init__(self, date):
        self.date = date
        self.entries = {}

    def add(self, name, contents, mode=0o644):
        """A file of root's, with the folders that it is in."""
        self._entry(name, tarfile.REGTYPE, mode, contents=contents)

    def link(self, name, target):
        self._entry(name, tarfile.SYMTYPE, 0o777, target=target)

    def _entry(self, name, kind, mode, contents=b"", target=""):
        name = name.lstrip("/")
        for folder in list(pathlib.PurePosixPath(name).parents)[-2::-1]:
            if str(folder) not in self.entries:
                self._entry(str(folder), tarfile.DIRTYPE, 0o755)
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.linkname, info.size, info.mtime = kind, mode, target, len(contents), self.date
        self.entries[name] = (info, contents)

    def archive(self):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name in sorted(self.entries):
                info, contents = self.entries[name]
                archive.addfile(info, io.BytesIO(contents))
        return stream.getvalue()


def compressed(archive):
    """Without name and time."""
    return gzip.compress(archive, compresslevel=9, mtime=0)


def digest(blob):
    return "sha256:" + hashlib.sha256(blob).hexdigest()


def names(blob):
    """All that a compressed layer holds."""
    with tarfile.open(fileobj=io.BytesIO(blob), mode="r:*") as archive:
        return {f"/{name.removeprefix('./')}" for name in archive.getnames()}
