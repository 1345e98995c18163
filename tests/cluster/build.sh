#!/bin/sh
# Builds the programs of the cluster tests: build.sh FOLDER. kube-apiserver with etcd, kube-controller-manager, kube-scheduler and
# the kubelet of tests/kube-apiserver, all of the release that is named there. One processor, since the machine may do other work.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
case $1 in /*) folder=$1 ;; *) folder=$PWD/$1 ;; esac
mkdir -p "$folder"
cd "$(dirname "$0")/../kube-apiserver"
GO_FOLDER=$folder
# shellcheck source=tests/kube-apiserver/go.sh
. ./go.sh
# shellcheck source=tests/kube-apiserver/release.sh
. ./release.sh
for program in .=kube-apiserver ./kubelet=kubelet k8s.io/kubernetes/cmd/kube-controller-manager=kube-controller-manager \
  k8s.io/kubernetes/cmd/kube-scheduler=kube-scheduler; do
  nice -n 15 go build -p 1 -trimpath -ldflags="$flags" -o "$folder/${program#*=}" "${program%=*}"
done
