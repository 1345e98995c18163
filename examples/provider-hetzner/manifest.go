package main

// Puts plugin.json into the ELF note from which the host reads it without running code. Take this file along as it is:
// the module ccm takes over ccm_manifest_text, the JSON with a NUL, and ccm_manifest_size, its size with the NUL.

/*
__asm__(
    ".pushsection .note.ccm, \"a\", @note\n"
    ".balign 4\n"
    ".long 4, ccm_manifest_end - ccm_manifest_text, 1\n"
    ".asciz \"ccm\"\n"
    ".globl ccm_manifest_text, ccm_manifest_size\n"
    ".hidden ccm_manifest_text, ccm_manifest_size\n"
    "ccm_manifest_text:\n"
    ".incbin \"plugin.json\"\n"
    ".byte 0\n"
    "ccm_manifest_end:\n"
    ".balign 4\n"
    ".popsection\n"
    ".pushsection .rodata\n"
    ".balign 4\n"
    "ccm_manifest_size: .long ccm_manifest_end - ccm_manifest_text\n"
    ".popsection\n");
*/
import "C"

import _ "embed"

// Has `go build` notice that the manifest changed.
//
//go:embed plugin.json
var _ []byte
