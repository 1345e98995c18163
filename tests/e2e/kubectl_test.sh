#!/bin/sh
# kubectl against the sandbox: kubectl_test.sh CCM_SANDBOX. Prints what failed, exit code 1.
set -u
sandbox=$1
folder=$(mktemp -d)
HOME=$folder # its discovery cache must not outlive this server
export HOME
KUBECONFIG=$folder/kubeconfig
export KUBECONFIG
failures=0
watcher=

"$sandbox" --directory "$folder" --no-cloud >"$folder/log" 2>&1 &
server=$!
cleanup() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null
  kill "$server" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$folder"
}
trap cleanup EXIT

# Asks a command again until it succeeds, for at most 30 seconds.
await() {
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  return 1
}

# contains NAME TEXT COMMAND...: the command succeeds and its output has TEXT.
contains() {
  name=$1
  text=$2
  shift 2
  if output=$("$@" 2>&1) && printf '%s' "$output" | grep -qF -- "$text"; then
    echo "ok: $name"
  else
    echo "FAILED: $name: expected \"$text\" in the output of: $*"
    printf '%s\n' "$output"
    failures=$((failures + 1))
  fi
}

# refused NAME TEXT COMMAND...: the command fails and says TEXT.
refused() {
  name=$1
  text=$2
  shift 2
  if output=$("$@" 2>&1); then
    echo "FAILED: $name: succeeded"
    failures=$((failures + 1))
  elif ! printf '%s' "$output" | grep -qF -- "$text"; then
    echo "FAILED: $name: expected \"$text\", is: $output"
    failures=$((failures + 1))
  else
    echo "ok: $name"
  fi
}

await test -s "$folder/ready" || { cat "$folder/log"; exit 1; }

cat >"$folder/node.yaml" <<'YAML'
apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels: {pool: blue}
spec:
  taints: [{key: node.cloudprovider.kubernetes.io/uninitialized, value: "true", effect: NoSchedule}]
YAML

contains version "Server Version" kubectl version
contains api-resources nodes kubectl api-resources
contains "create from a file" "node/node-1 created" kubectl create -f "$folder/node.yaml"
contains "get nodes" node-1 kubectl get nodes
contains "get -o name" node/node-1 kubectl get nodes -o name
contains "get -o wide" node-1 kubectl get nodes -o wide
contains "get -o yaml" "kind: Node" kubectl get node node-1 -o yaml
contains "get -o jsonpath" NoSchedule kubectl get node node-1 -o 'jsonpath={.spec.taints[0].effect}'
contains "get by label" node-1 kubectl get nodes -l pool=blue
contains "get by another label" "No resources found" kubectl get nodes -l pool=red
contains "get in all namespaces" kube-system kubectl get namespaces
contains "describe" "node.cloudprovider.kubernetes.io/uninitialized" kubectl describe node node-1
refused "get a missing node" NotFound kubectl get node there-is-none

# A watch that prints two changes; it is started before them.
kubectl get nodes --watch -o 'jsonpath={.metadata.labels.stage}{"\n"}' >"$folder/watch" 2>&1 &
watcher=$!
await test -s "$folder/watch" || true
contains "patch (strategic)" patched kubectl patch node node-1 -p '{"metadata":{"labels":{"stage":"one"}}}'
contains "patch (merge)" patched kubectl patch node node-1 --type=merge -p '{"spec":{"unschedulable":true}}'
contains "patch (json)" patched kubectl patch node node-1 --type=json \
  -p '[{"op":"add","path":"/metadata/labels/stage","value":"two"}]'
contains "patch of the status" patched kubectl patch node node-1 --subresource=status \
  -p '{"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.1"}]}}'
if await grep -q two "$folder/watch"; then
  echo "ok: watch"
else
  echo "FAILED: watch: saw only $(cat "$folder/watch")"
  failures=$((failures + 1))
fi
kill "$watcher" 2>/dev/null
watcher=

contains "patched address" 10.0.0.1 kubectl get node node-1 -o 'jsonpath={.status.addresses[*].address}'
contains "label" labeled kubectl label node node-1 pool=green --overwrite
contains "annotate" annotated kubectl annotate node node-1 note=kept
contains "taint" tainted kubectl taint node node-1 example.com/mine=x:NoSchedule
contains "uncordon" uncordoned kubectl uncordon node-1
contains "replace" replaced sh -c 'kubectl get node node-1 -o yaml | kubectl replace -f -'
contains "apply" "configmap/settings created" sh -c \
  'printf "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n" | kubectl apply -f -'
contains "apply again" "configmap/settings unchanged" sh -c \
  'printf "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n" | kubectl apply -f -'
# These are sent as protobuf, and the answers are asked for in it.
contains "create service" "service/web created" kubectl create service loadbalancer web --tcp=80:8080
contains "its target port" 8080 kubectl get service web -o 'jsonpath={.spec.ports[0].targetPort}'
contains "its selector" web kubectl get service web -o 'jsonpath={.spec.selector.app}'
contains "create configmap" created kubectl create configmap colours --from-literal=sky=blue
contains "its data" blue kubectl get configmap colours -o 'jsonpath={.data.sky}'
contains "create secret" created kubectl create secret generic token --from-literal=key=value
contains "its data in base64" dmFsdWU= kubectl get secret token -o 'jsonpath={.data.key}'
contains "create namespace" created kubectl create namespace shop
contains "create serviceaccount" created kubectl create serviceaccount robot -n shop
contains "wait" "condition met" kubectl wait --for=jsonpath='{.metadata.labels.stage}'=two node/node-1 --timeout=20s
refused "a second provider ID" "providerID" sh -c \
  'kubectl patch node node-1 -p "{\"spec\":{\"providerID\":\"a://1\"}}" && kubectl patch node node-1 -p "{\"spec\":{\"providerID\":\"a://2\"}}"'
contains "get events" "" kubectl get events
contains "get leases" "" kubectl get leases -n kube-system
contains "delete" "node \"node-1\" deleted" kubectl delete node node-1 --timeout=20s
contains "nothing is left" "No resources found" kubectl get nodes

[ "$failures" -eq 0 ]
