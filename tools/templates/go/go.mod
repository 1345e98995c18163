module @NAME@

go 1.19

require ccm v0.0.0

// The module of the installed SDK. CMake writes the folder of the SDK that it found here.
replace ccm => @PREFIX@/share/ccm/go
