#!/bin/sh
# Builds helm for the tests of the chart: build.sh OUTPUT. OUTPUT-crds gets the resource definitions of Prometheus' operator,
# against which an API server holds ServiceMonitor and PrometheusRule. One processor, since the machine may do other work.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 OUTPUT" >&2; exit 2; }
case $1 in /*) output=$1 ;; *) output=$PWD/$1 ;; esac
mkdir -p "$(dirname "$output")"
cd "$(dirname "$0")"
GO_FOLDER=$(dirname "$output")
. ../../kube-apiserver/go.sh

helm=$(go list -m -f '{{.Version}}' helm.sh/helm/v3)
kubernetes=$(go list -m -f '{{.Version}}' k8s.io/client-go) # v0.36.3 is of Kubernetes 1.36.3
minor=${kubernetes#v0.}
# The cluster's version for helm template, as in helm's own builds.
capabilities=helm.sh/helm/v3/pkg/chartutil
CGO_ENABLED=0 nice -n 15 go build -p 1 -trimpath -ldflags="-s -w -X helm.sh/helm/v3/internal/version.version=$helm \
  -X $capabilities.k8sVersionMajor=1 -X $capabilities.k8sVersionMinor=${minor%%.*}" -o "$output" helm.sh/helm/v3/cmd/helm

operator=$(go mod download -json github.com/prometheus-operator/prometheus-operator@v0.85.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
mkdir -p "$output-crds"
for kind in servicemonitors prometheusrules; do
  install -m 644 "$operator/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml" "$output-crds/$kind.yaml"
done
