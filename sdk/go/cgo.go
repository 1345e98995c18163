package ccm

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror=implicit-function-declaration
// #cgo CFLAGS: -I${SRCDIR}/../include -I${SRCDIR}/../../../include
// #cgo LDFLAGS: ${SRCDIR}/libccm_exports.so
// #include "glue.h"
import "C"
