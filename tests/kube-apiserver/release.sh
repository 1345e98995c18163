# Sets `flags` of the linker for programs of the Kubernetes release in go.mod: . release.sh. Without a C compiler's help and without
# debug information: faster to build, a third smaller.
release=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${release#v1.}
version=k8s.io/component-base/version
flags="-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}"
export CGO_ENABLED=0
