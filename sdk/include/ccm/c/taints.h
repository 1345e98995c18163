/*
 * Taints of Nodes that have a meaning for the cloud, and their effects. ccm/taints.hpp has them for C++.
 */
#ifndef CCM_C_TAINTS_H
#define CCM_C_TAINTS_H

#include "ccm/abi/base.h" /* alone it would be no translation unit */

/* A kubelet with --cloud-provider=external registers with it; whoever initialises the Node takes it away. */
#define CCM_UNINITIALIZED_TAINT "node.cloudprovider.kubernetes.io/uninitialized"
/* The instance is switched off. */
#define CCM_SHUTDOWN_TAINT "node.cloudprovider.kubernetes.io/shutdown"
/* Nothing runs there any more, so that Pods and volumes may move at once. */
#define CCM_OUT_OF_SERVICE_TAINT "node.kubernetes.io/out-of-service"

/* Cluster Autoscaler is about to delete the Node's instance. */
#define CCM_AUTOSCALER_TAINT "ToBeDeletedByClusterAutoscaler"
/* Karpenter does so; before its version 1 with another key, where the value says it. */
#define CCM_KARPENTER_TAINT "karpenter.sh/disrupted"
#define CCM_OLD_KARPENTER_TAINT "karpenter.sh/disruption"
#define CCM_OLD_KARPENTER_VALUE "disrupting"

#define CCM_NO_SCHEDULE_EFFECT "NoSchedule"
#define CCM_NO_EXECUTE_EFFECT "NoExecute"

#endif
