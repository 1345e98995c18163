"""Taints that new nodes of today have while the manager has not initialised them yet: its own Pod has to come there all the same
(kops#18510, rke2#7822, syself/hetzner-ccm#12)."""

UNINITIALIZED = ("node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule")
TAINTS = [
    UNINITIALIZED,
    ("node.kubernetes.io/not-ready", "", "NoSchedule"),
    ("node.kubernetes.io/not-ready", "", "NoExecute"),
    ("node.kubernetes.io/network-unavailable", "", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "", "NoSchedule"),
    ("node.kubernetes.io/disk-pressure", "", "NoSchedule"),
    ("node-role.kubernetes.io/control-plane", "", "NoSchedule"),
    ("node-role.kubernetes.io/control-plane", "true", "NoSchedule"),  # RKE2, k3s
    ("node-role.kubernetes.io/etcd", "true", "NoExecute"),            # RKE2
    ("node-role.kubernetes.io/master", "", "NoSchedule"),
    ("node.cilium.io/agent-not-ready", "true", "NoSchedule"),
    ("node.cilium.io/agent-not-ready", "true", "NoExecute"),
    ("node.cluster.x-k8s.io/uninitialized", "", "NoSchedule"),
    ("karpenter.sh/unregistered", "", "NoExecute"),
    ("CriticalAddonsOnly", "true", "NoExecute"),
]


def tolerates(toleration, taint):
    """The rule of Kubernetes: k8s.io/api/core/v1 Toleration.ToleratesTaint."""
    key, value, effect = taint
    if toleration.get("effect", "") not in ("", effect):
        return False
    if toleration.get("key", "") not in ("", key):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return toleration.get("key", "") != "" and toleration.get("value", "") == value


def first(tolerations, taint):
    """The toleration that counts: its tolerationSeconds decide when the Pod has to leave."""
    return next((toleration for toleration in tolerations if tolerates(toleration, taint)), None)
