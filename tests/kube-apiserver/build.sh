#!/bin/sh
# Builds the kube-apiserver of the test suites: build.sh OUTPUT. go.sh finds or brings Go.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 OUTPUT" >&2; exit 2; }
case $1 in /*) output=$1 ;; *) output=$PWD/$1 ;; esac
mkdir -p "$(dirname "$output")"

cd "$(dirname "$0")"
. ./go.sh "$(dirname "$output")"
release=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${release#v1.}
version=k8s.io/component-base/version
# Without a C compiler's help and without debug information: faster to build, a third smaller.
CGO_ENABLED=0 exec go build -trimpath -ldflags="-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" -o "$output" .
