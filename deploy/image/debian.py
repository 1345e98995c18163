"""The libraries of a Debian system, this machine's or one that tools/sysroot unpacked, and the packages that they are from."""
import pathlib
import subprocess

import elf

# Scanners of images read these of a package.
FIELDS = ("Package", "Architecture", "Version", "Source", "Maintainer", "Homepage", "Description")


class Debian:
    def __init__(self, root="/"):
        self.root = pathlib.Path(root).resolve()
        self.query = ["dpkg-query", f"--admindir={self.root}/var/lib/dpkg"]

    def path(self, name):
        """The file of that absolute name within the system."""
        return self.root / name.lstrip("/")

    def path_of(self, soname, triplet):
        for folder in (f"/usr/lib/{triplet}", f"/lib/{triplet}", "/usr/lib", "/lib"):
            if self.path(f"{folder}/{soname}").exists():
                return f"{folder}/{soname}"
        raise ValueError(f"{soname} is in no folder of libraries of {self.root}")

    def libraries(self, sonames, triplet, present=()):
        """These libraries and all that they need, but for what is present: name -> path."""
        found, waiting = {}, sorted(sonames)
        while waiting:
            soname = waiting.pop()
            if soname in found or soname in present:
                continue
            found[soname] = self.path_of(soname, triplet)
            waiting += elf.read(self.path(found[soname])).needed
        return found

    def owner(self, name):
        """The package that has the file, which it may know by the name from before /lib moved into /usr."""
        real = "/" + str(self.path(name).resolve().relative_to(self.root))
        names = {name, real}
        names |= {path.removeprefix("/usr") if path.startswith("/usr/lib") else f"/usr{path}" for path in names}
        for path in sorted(names):
            done = subprocess.run([*self.query, "-S", path], capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout.split(": ")[0].split(", ")[0]
        raise ValueError(f"{name} is of no Debian package, so nothing is known of its licence")

    def files(self, package):
        done = subprocess.run([*self.query, "-L", package], check=True, capture_output=True, text=True)
        return [name for name in done.stdout.splitlines() if self.path(name).is_file()]

    def status(self, package):
        """The package's name and its entry in dpkg's list."""
        form = "".join(f"{field}: ${{{'source:Package' if field == 'Source' else field}}}\\n" for field in FIELDS)
        done = subprocess.run([*self.query, "-W", "-f", form, package], check=True, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if not line.endswith(": ")]
        return package.split(":")[0], "\n".join([lines[0], "Status: install ok installed", *lines[1:]]) + "\n"

    def copyright(self, package):
        return f"/usr/share/doc/{package.split(':')[0]}/copyright"
