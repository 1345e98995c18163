#!/bin/sh
# Builds the kube-apiserver of the test suites: build.sh OUTPUT. go.sh finds or brings Go.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 OUTPUT" >&2; exit 2; }
case $1 in /*) output=$1 ;; *) output=$PWD/$1 ;; esac
mkdir -p "$(dirname "$output")"
cd "$(dirname "$0")"
GO_FOLDER=$(dirname "$output")
. ./go.sh
. ./release.sh
exec go build -trimpath -ldflags="$flags" -o "$output" .
