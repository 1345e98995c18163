#include "api/schema.hpp"

namespace sandbox {

// One struct a paragraph: name, then a field a line: name, type, options.
// Types: string bool int time microtime quantity intstr any map:T []T, or the name of a struct;
// a leading * marks what Go has as a pointer (an explicit zero stays).
// Options: merge, merge=KEY (strategic merge), keys=A,B (server-side apply), always (never
// omitted), @N (the field's number in Kubernetes' protobuf encoding: generated.proto of k8s.io/api
// and k8s.io/apimachinery), bytes (of values that are bytes there and base64 in JSON).
std::string_view schema_table() {
  return R"(
ObjectMeta
  name string @1
  generateName string @2
  namespace string @3
  selfLink string @4
  uid string @5
  resourceVersion string @6
  generation int @7
  creationTimestamp time @8
  deletionTimestamp time @9
  deletionGracePeriodSeconds *int @10
  labels map:string @11
  annotations map:string @12
  ownerReferences []OwnerReference merge=uid keys=uid @13
  finalizers []string merge keys= @14
  managedFields []any

OwnerReference
  apiVersion string always @5
  kind string always @1
  name string always @3
  uid string always @4
  controller *bool @6
  blockOwnerDeletion *bool @7

Condition
  type string always @1
  status string always @2
  observedGeneration int @3
  lastTransitionTime time @4
  reason string always @5
  message string always @6

ObjectReference
  kind string @1
  namespace string @2
  name string @3
  uid string @4
  apiVersion string @5
  resourceVersion string @6
  fieldPath string @7

LocalObjectReference
  name string @1

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
  metadata ObjectMeta @1
  spec ServiceSpec @2
  status ServiceStatus @3

ServiceSpec
  ports []ServicePort merge=port keys=port,protocol @1
  selector map:string @2
  clusterIP string @3
  clusterIPs []string @18
  type string @4
  externalIPs []string @5
  sessionAffinity string @7
  loadBalancerIP string @8
  loadBalancerSourceRanges []string @9
  externalName string @10
  externalTrafficPolicy string @11
  healthCheckNodePort int @12
  publishNotReadyAddresses bool @13
  sessionAffinityConfig *SessionAffinityConfig @14
  ipFamilies []string @19
  ipFamilyPolicy *string @17
  allocateLoadBalancerNodePorts *bool @20
  loadBalancerClass *string @21
  internalTrafficPolicy *string @22
  trafficDistribution *string @23

SessionAffinityConfig
  clientIP *ClientIPConfig @1

ClientIPConfig
  timeoutSeconds *int @1

ServicePort
  name string @1
  protocol string @2
  appProtocol *string @6
  port int always @3
  targetPort intstr @4
  nodePort int @5

ServiceStatus
  loadBalancer LoadBalancerStatus @1
  conditions []Condition merge=type keys=type @2

LoadBalancerStatus
  ingress []LoadBalancerIngress @1

LoadBalancerIngress
  ip string @1
  hostname string @2
  ipMode *string @3
  ports []PortStatus @4

PortStatus
  port int always @1
  protocol string always @2
  error *string @3

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
  metadata ObjectMeta @1
  data map:string @2
  binaryData map:string bytes @3
  immutable *bool @4

Secret
  metadata ObjectMeta @1
  data map:string bytes @2
  stringData map:string @4
  type string @3
  immutable *bool @5

Namespace
  metadata ObjectMeta @1
  spec NamespaceSpec @2
  status NamespaceStatus @3

NamespaceSpec
  finalizers []string @1

NamespaceStatus
  phase string @1
  conditions []any merge=type keys=type

ServiceAccount
  metadata ObjectMeta @1
  secrets []ObjectReference merge=name keys=name @2
  imagePullSecrets []LocalObjectReference merge=name @3
  automountServiceAccountToken *bool @4

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
