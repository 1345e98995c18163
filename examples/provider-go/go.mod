module rack

go 1.19

require ccm v0.0.0

// Beside this folder in the source tree. With the SDK installed: go mod edit -replace ccm=/usr/local/share/ccm/go
replace ccm => ../../sdk/go
