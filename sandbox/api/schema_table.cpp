#include "api/schema.hpp"

namespace sandbox {

// One struct a paragraph: name, then a field a line: name, type, options.
// Types: string bool int time microtime quantity intstr any map:T []T, or the name of a struct;
// a leading * marks what Go has as a pointer (an explicit zero stays).
// Options: merge, merge=KEY (strategic merge), keys=A,B (server-side apply), always (never
// omitted).
std::string_view schema_table() {
  return R"(
ObjectMeta
  name string
  generateName string
  namespace string
  selfLink string
  uid string
  resourceVersion string
  generation int
  creationTimestamp time
  deletionTimestamp time
  deletionGracePeriodSeconds *int
  labels map:string
  annotations map:string
  ownerReferences []OwnerReference merge=uid keys=uid
  finalizers []string merge keys=
  managedFields []any

OwnerReference
  apiVersion string always
  kind string always
  name string always
  uid string always
  controller *bool
  blockOwnerDeletion *bool

Condition
  type string always
  status string always
  observedGeneration int
  lastTransitionTime time
  reason string always
  message string always

ObjectReference
  kind string
  namespace string
  name string
  uid string
  apiVersion string
  resourceVersion string
  fieldPath string

LocalObjectReference
  name string

Node
  metadata ObjectMeta
  spec NodeSpec
  status NodeStatus

NodeSpec
  podCIDR string
  podCIDRs []string merge keys=
  providerID string
  unschedulable bool
  taints []Taint
  configSource any
  externalID string

Taint
  key string always
  value string
  effect string always
  timeAdded time

NodeStatus
  capacity map:quantity
  allocatable map:quantity
  phase string
  conditions []NodeCondition merge=type keys=type
  addresses []NodeAddress merge=type keys=type
  daemonEndpoints NodeDaemonEndpoints
  nodeInfo NodeSystemInfo
  images []any
  volumesInUse []string
  volumesAttached []any
  config any
  runtimeHandlers []any
  features any
  declaredFeatures []string

NodeCondition
  type string always
  status string always
  lastHeartbeatTime time
  lastTransitionTime time
  reason string
  message string

NodeAddress
  type string always
  address string always

NodeDaemonEndpoints
  kubeletEndpoint DaemonEndpoint

DaemonEndpoint
  Port int always

NodeSystemInfo
  machineID string always
  systemUUID string always
  bootID string always
  kernelVersion string always
  osImage string always
  containerRuntimeVersion string always
  kubeletVersion string always
  kubeProxyVersion string always
  operatingSystem string always
  architecture string always
  swap any

Service
  metadata ObjectMeta
  spec ServiceSpec
  status ServiceStatus

ServiceSpec
  ports []ServicePort merge=port keys=port,protocol
  selector map:string
  clusterIP string
  clusterIPs []string
  type string
  externalIPs []string
  sessionAffinity string
  loadBalancerIP string
  loadBalancerSourceRanges []string
  externalName string
  externalTrafficPolicy string
  healthCheckNodePort int
  publishNotReadyAddresses bool
  sessionAffinityConfig any
  ipFamilies []string
  ipFamilyPolicy *string
  allocateLoadBalancerNodePorts *bool
  loadBalancerClass *string
  internalTrafficPolicy *string
  trafficDistribution *string

ServicePort
  name string
  protocol string
  appProtocol *string
  port int always
  targetPort intstr
  nodePort int

ServiceStatus
  loadBalancer LoadBalancerStatus
  conditions []Condition merge=type keys=type

LoadBalancerStatus
  ingress []LoadBalancerIngress

LoadBalancerIngress
  ip string
  hostname string
  ipMode *string
  ports []PortStatus

PortStatus
  port int always
  protocol string always
  error *string

Event
  metadata ObjectMeta
  involvedObject ObjectReference
  reason string
  message string
  source EventSource
  firstTimestamp time
  lastTimestamp time
  count int
  type string
  eventTime microtime
  series any
  action string
  related any
  reportingComponent string always
  reportingInstance string always

EventSource
  component string
  host string

Lease
  metadata ObjectMeta
  spec LeaseSpec

LeaseSpec
  holderIdentity *string
  leaseDurationSeconds *int
  acquireTime microtime
  renewTime microtime
  leaseTransitions *int
  strategy *string
  preferredHolder *string

ConfigMap
  metadata ObjectMeta
  data map:string
  binaryData map:string
  immutable *bool

Secret
  metadata ObjectMeta
  data map:string
  stringData map:string
  type string
  immutable *bool

Namespace
  metadata ObjectMeta
  spec NamespaceSpec
  status NamespaceStatus

NamespaceSpec
  finalizers []string

NamespaceStatus
  phase string
  conditions []any merge=type keys=type

ServiceAccount
  metadata ObjectMeta
  secrets []ObjectReference merge=name keys=name
  imagePullSecrets []LocalObjectReference merge=name
  automountServiceAccountToken *bool

Pod
  metadata ObjectMeta
  spec any
  status any

EndpointSlice
  metadata ObjectMeta
  addressType string always
  endpoints []any always
  ports []any always
)";
}

}  // namespace sandbox
