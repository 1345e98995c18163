"""Facts of an ELF file: its architecture, the libraries that it needs, and a plugin's manifest."""
import dataclasses
import json

from elftools.elf.elffile import ELFFile

# The architecture's names: OCI's, which are Go's; and Debian's, in paths of libraries.
ARCHITECTURES = {"EM_X86_64": ("amd64", "x86_64-linux-gnu"), "EM_AARCH64": ("arm64", "aarch64-linux-gnu")}


@dataclasses.dataclass
class Elf:
    architecture: str
    triplet: str
    needed: list
    interpreter: str = ""
    manifest: dict | None = None


def read(path):
    with open(path, "rb") as file:
        elf = ELFFile(file)
        machine = elf["e_machine"]
        if machine not in ARCHITECTURES:
            raise ValueError(f"{path}: no image is made for {machine}")
        found = Elf(*ARCHITECTURES[machine], needed=[])
        for segment in elf.iter_segments():
            kind = segment["p_type"]
            if kind == "PT_DYNAMIC":
                found.needed = [tag.needed for tag in segment.iter_tags("DT_NEEDED")]
            elif kind == "PT_INTERP":
                found.interpreter = segment.get_interp_name()
            elif kind == "PT_NOTE":
                for note in segment.iter_notes():
                    if note["n_name"] == "ccm":
                        found.manifest = json.loads(note["n_descdata"].rstrip(b"\0"))
        return found
