module hcloud

go 1.19

require ccm v0.0.0

// A copy elsewhere needs: go mod edit -replace ccm=/usr/local/share/ccm/go
replace ccm => ../../sdk/go
