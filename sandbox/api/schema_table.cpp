#include "api/schema.hpp"

namespace sandbox {

// One struct a paragraph: name, then a field a line: name, type, options.
// Types: string bool int time microtime quantity intstr json any map:T []T, or the name of a
// struct; a leading * marks what Go has as a pointer (an explicit zero stays). Options: merge,
// merge=KEY (strategic merge), keys=A,B (server-side apply), always (never omitted), @N (the
// field's number in Kubernetes' protobuf encoding: generated.proto of k8s.io/api and
// k8s.io/apimachinery), bytes (of values that are bytes there and base64 in JSON).
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
  managedFields []ManagedFieldsEntry @17

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
  lastTransitionTime time always @4
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
  metadata ObjectMeta @1
  spec NodeSpec @2
  status NodeStatus @3

NodeSpec
  podCIDR string @1
  podCIDRs []string merge keys= @7
  providerID string @3
  unschedulable bool @4
  taints []Taint @5
  configSource *NodeConfigSource @6
  externalID string @2

Taint
  key string always @1
  value string @2
  effect string always @3
  timeAdded time @4

NodeStatus
  capacity map:quantity @1
  allocatable map:quantity @2
  phase string @3
  conditions []NodeCondition merge=type keys=type @4
  addresses []NodeAddress merge=type keys=type @5
  daemonEndpoints NodeDaemonEndpoints @6
  nodeInfo NodeSystemInfo @7
  images []ContainerImage @8
  volumesInUse []string @9
  volumesAttached []AttachedVolume @10
  config *NodeConfigStatus @11
  runtimeHandlers []NodeRuntimeHandler @12
  features *NodeFeatures @13
  declaredFeatures []string @14

NodeCondition
  type string always @1
  status string always @2
  lastHeartbeatTime time always @3
  lastTransitionTime time always @4
  reason string @5
  message string @6

NodeAddress
  type string always @1
  address string always @2

NodeDaemonEndpoints
  kubeletEndpoint DaemonEndpoint @1

DaemonEndpoint
  Port int always @1

NodeSystemInfo
  machineID string always @1
  systemUUID string always @2
  bootID string always @3
  kernelVersion string always @4
  osImage string always @5
  containerRuntimeVersion string always @6
  kubeletVersion string always @7
  kubeProxyVersion string always @8
  operatingSystem string always @9
  architecture string always @10
  swap *NodeSwapStatus @11

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
  metadata ObjectMeta @1
  spec LeaseSpec @2

LeaseSpec
  holderIdentity *string @1
  leaseDurationSeconds *int @2
  acquireTime microtime @3
  renewTime microtime @4
  leaseTransitions *int @5
  strategy *string @6
  preferredHolder *string @7

LeaseCandidate
  metadata ObjectMeta @1
  spec LeaseCandidateSpec @2

LeaseCandidateSpec
  leaseName string always @1
  pingTime microtime @2
  renewTime microtime @3
  binaryVersion string always @4
  emulationVersion string @5
  strategy string @6

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
  conditions []NamespaceCondition merge=type keys=type @2

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
  metadata ObjectMeta @1
  addressType string always @4
  endpoints []Endpoint always @2
  ports []DiscoveryEndpointPort always @3

ManagedFieldsEntry
  manager string @1
  operation string @2
  apiVersion string @3
  time time @4
  fieldsType string @6
  fieldsV1 *json @7
  subresource string @8

NodeConfigSource
  configMap *ConfigMapNodeConfigSource @2

ConfigMapNodeConfigSource
  namespace string always @1
  name string always @2
  uid string @3
  resourceVersion string @4
  kubeletConfigKey string always @5

ContainerImage
  names []string always @1
  sizeBytes int @2

AttachedVolume
  name string always @1
  devicePath string always @2

NodeConfigStatus
  assigned *NodeConfigSource @1
  active *NodeConfigSource @2
  lastKnownGood *NodeConfigSource @3
  error string @4

NodeRuntimeHandler
  name string always @1
  features *NodeRuntimeHandlerFeatures @2

NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts *bool @1
  userNamespaces *bool @2

NodeFeatures
  supplementalGroupsPolicy *bool @1

NodeSwapStatus
  capacity *int @1

NamespaceCondition
  type string always @1
  status string always @2
  lastTransitionTime time always @4
  reason string @5
  message string @6

Endpoint
  addresses []string always @1
  conditions EndpointConditions @2
  hostname *string @3
  targetRef *ObjectReference @4
  deprecatedTopology map:string @5
  nodeName *string @6
  zone *string @7
  hints *EndpointHints @8

EndpointConditions
  ready *bool @1
  serving *bool @2
  terminating *bool @3

EndpointHints
  forZones []ForZone @1
  forNodes []ForNode @2

ForZone
  name string always @1

ForNode
  name string always @1

DiscoveryEndpointPort
  name *string @1
  protocol *string @2
  port *int @3
  appProtocol *string @4

Status
  metadata ListMeta @1
  status string @2
  message string @3
  reason string @4
  details *StatusDetails @5
  code int @6

ListMeta
  selfLink string @1
  resourceVersion string @2
  continue string @3
  remainingItemCount *int @4
  shardInfo *ShardInfo @5

ShardInfo
  selector string always @1

StatusDetails
  name string @1
  group string @2
  kind string @3
  uid string @6
  causes []StatusCause @4
  retryAfterSeconds int @5

StatusCause
  reason string @1
  message string @2
  field string @3
)";
}

}  // namespace sandbox
