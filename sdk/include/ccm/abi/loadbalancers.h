/*
 * Load balancers of the cloud for Services of type LoadBalancer. A provider implements this table; controllers get the
 * same one from the host.
 *
 * For a provider:
 * R-90 Never wait for the cloud inside an operation. While it works, end with CCM_LOAD_BALANCER_PENDING and a
 *      retry_after_ms; the host calls again.
 * R-91 No write to the cloud without a difference: a second `ensure` of the same request is reads only.
 * R-92 A load balancer is this Service's when a mark that the provider itself put into the cloud (a tag, a description,
 *      a name made of the UID) names this Service's UID. `id` stands in an annotation, which users write: it says where
 *      to look and proves nothing. A load balancer without a proof is CCM_LOAD_BALANCER_FOREIGN and is neither changed
 *      nor deleted, except as `adopt_id`, which the administrator has allowed: that is marked again, whoever had it.
 * R-93 A load balancer that several Services share bears the mark of each. A Service changes and removes only its own
 *      part (listeners, ports, its mark); its mark is what decides, not those of the others. The last one to leave
 *      deletes the load balancer if a mark says that this cluster's manager made it.
 * R-94 `ensure` looks for its mark before it creates, so that a lost answer leads to no second load balancer.
 * R-95 A failed `ensure` hands over what it made so far, so that the id is recorded although it failed.
 * R-96 Impossible results are a failure of the operation: an ingress without ip and hostname, a port outside of 1 to
 *      65535, an id, ip or hostname of more than 4 KiB, annotations of more than 256 KiB, more than 64 node_labels.
 * R-180 A load balancer that serves is never left without members by a choice of the provider's own: a family of
 *      addresses, labels, a subnet. When backends were given of which none can be a member, it keeps the members that
 *      it has, and `no_members` says why. Without backends in the request the members go: the host has asked its brake.
 *
 * From the host:
 * R-97 It adds deadlines, metrics, one operation at a time for each Service, or each `lane`, and the deletion brake:
 *      removals that the user did not ask for are held when they are many (CCM_REASON_DELETION_BRAKE_ENGAGED). It reads
 *      of the Service's object whether the user gave the load balancer up, so a controller declares
 *      /metadata/deletionTimestamp and /spec/type among its fields.
 * R-98 Its table has every function, whatever the provider's has; there is none without `ensure` and `remove`.
 * R-99 An operation that is open five minutes after its ctx ended loses its turn: the host calls `observe` before the
 *      next change, and drops the late completion. Until then others of the lane are UNAVAILABLE, class WAITING, reason
 *      CCM_REASON_OPERATION_NOT_COMPLETED.
 * R-181 Provider IDs and addresses of backends are those of the cloud, where the provider offers instances
 *      (ccm/abi/instances.h): a Node whose instance the cloud does not show, or which an older Node has, is no backend.
 *      They are not what `node` says: kubelets write that. Without instances they are the Nodes' own.
 */
#ifndef CCM_ABI_LOADBALANCERS_H
#define CCM_ABI_LOADBALANCERS_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/instances.h"
#include "ccm/abi/object.h"
#include "ccm/abi/provider.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_LOADBALANCERS "ccm.cloud.loadbalancers/1"

/* Values of ccm_load_balancer.state. Any other counts as UNKNOWN. [since 1.0] */
enum {
  CCM_LOAD_BALANCER_UNKNOWN = 0, /* nothing may be concluded; the host asks again later, as for PENDING */
  CCM_LOAD_BALANCER_ABSENT = 1,  /* the cloud has none for this Service, and the answer is certain */
  CCM_LOAD_BALANCER_PENDING = 2, /* exists or is being changed; not ready to serve */
  CCM_LOAD_BALANCER_ACTIVE = 3,  /* exists and serves */
  CCM_LOAD_BALANCER_SHARED = 4,  /* as ACTIVE, and other Services use it too */
  /* The recorded id leads to one that is not proven to be the Service's, and none bears its mark. A success of `ensure`
   * and `observe`, without id and without ingress; nothing was created. `remove` says CCM_REASON_NOT_OWNED instead. */
  CCM_LOAD_BALANCER_FOREIGN = 5
};

/* One port of a Service. [request] [since 1.0] */
typedef struct ccm_service_port {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str name;
  ccm_str protocol;     /* "TCP", "UDP", "SCTP" */
  ccm_str app_protocol; /* may be empty */
  int32_t port;
  int32_t node_port; /* 0 = none was allocated */
} ccm_service_port;

/* Bits of ccm_service.flags. [since 1.0] */
enum {
  CCM_SERVICE_LOCAL_TRAFFIC = 1,      /* externalTrafficPolicy: Local */
  CCM_SERVICE_CLIENT_IP_AFFINITY = 2, /* sessionAffinity: ClientIP */
  CCM_SERVICE_NO_NODE_PORTS = 4       /* allocateLoadBalancerNodePorts: false */
};

/* The Service that wants a load balancer, read and validated by the controller. [request] [since 1.0] */
typedef struct ccm_service {
  uint32_t size;
  uint32_t flags;
  ccm_str name;
  ccm_str namespace_name;
  ccm_str uid;
  ccm_str cluster_name; /* --cluster-name */
  ccm_str id;           /* as recorded on the Service (ccm_load_balancer_limits.id_annotation); empty = none yet */
  /* A load balancer that the user told us to take over by annotation; empty = none. Its owner mark, or the lack of one,
   * does not count; the provider puts ours on it. */
  ccm_str adopt_id;
  ccm_str default_name; /* "a" and the UID without dashes, 32 characters */
  ccm_str class_name;   /* spec.loadBalancerClass; may be empty */
  ccm_str requested_ip; /* spec.loadBalancerIP; may be empty */
  const ccm_service_port *const *ports; /* in the Service's order */
  size_t port_count;
  const ccm_str *source_ranges; /* CIDRs, normalised, sorted, without duplicates; none = everybody */
  size_t source_range_count;
  const ccm_str *ip_families; /* "IPv4", "IPv6" in the Service's order */
  size_t ip_family_count;
  const ccm_key_value *parameters; /* of the load balancer class, from the host's configuration */
  size_t parameter_count;
  int32_t health_check_node_port;   /* 0 = none; with CCM_SERVICE_LOCAL_TRAFFIC: path /healthz */
  int32_t affinity_timeout_seconds; /* 0 = the cloud's default */
  const ccm_object *object;         /* [null] the Service itself, for annotations */
} ccm_service;

/* A Node that takes the Service's traffic: not being deleted, not excluded by its label, not chosen by the autoscaler
 * to go. Whether it is Ready is for the load balancer's health check to find out. [request] [since 1.0] */
typedef struct ccm_backend {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str name;
  ccm_str provider_id; /* may be empty: the instance is then found by name */
  /* In the order of the cloud; what the kubelet's --node-ip names comes first. */
  const ccm_node_address *addresses;
  size_t address_count;
  const ccm_object *node; /* [null] for labels; a provider that chooses by them says so in `node_labels` */
} ccm_backend;

/* The request of all operations but limits. [request] [since 1.0] */
typedef struct ccm_load_balancer_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_service *service;
  const ccm_backend *const *backends; /* of observe, ensure and update_backends; empty for the others */
  size_t backend_count;
} ccm_load_balancer_request;

/* A load balancer's word on one port. [result] [since 1.0] */
typedef struct ccm_ingress_port {
  uint32_t size;
  int32_t port;
  ccm_str protocol;
  ccm_str error; /* CamelCase, or "domain/Reason"; empty = none */
} ccm_ingress_port;

/* One way to reach a load balancer: `ip` or `hostname`. [result] [since 1.0] */
typedef struct ccm_ingress {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str ip;
  ccm_str hostname;
  ccm_str ip_mode; /* "VIP", "Proxy"; empty = VIP; only with an ip */
  const ccm_ingress_port *const *ports;
  size_t port_count;
} ccm_ingress;

/* [result] [since 1.0] */
typedef struct ccm_load_balancer {
  uint32_t size;
  int32_t state;
  int64_t retry_after_ms; /* with PENDING: when to come back; 0 = the host's choice */
  ccm_str id;             /* the cloud's; the controller records it on the Service; empty when ABSENT */
  ccm_str name;           /* the cloud's */
  /* From `observe`: how what exists differs from what `ensure` would make, in words for people ("forwarding rules,
   * backends"); empty = not at all. From the others: what they changed; empty = nothing. */
  ccm_str difference;
  const ccm_ingress *const *ingress; /* in the order of the Service's status; none while it has no address */
  size_t ingress_count;
  /* Annotations that the provider wants on the Service, besides the id. An empty value removes the annotation. */
  const ccm_key_value *annotations;
  size_t annotation_count;
  /* Keys of the labels by which the provider chose among the backends of this Service. A change of one of them on a Node
   * is a change of the backends, and `update_backends` follows at once; other labels may change unseen. [since 1.1] */
  const ccm_str *node_labels;
  size_t node_label_count;
  /* Why none of the given backends can be a member, in words for people: "no Node has an IPv4 address". Empty = some
   * can, or none were given. The Service is told, and is not shown as ready. [since 1.1] */
  ccm_str no_members;
} ccm_load_balancer;

/* [result] [since 1.0] */
typedef struct ccm_load_balancer_name {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str name;
} ccm_load_balancer_name;

/* [result] [since 1.0] */
typedef struct ccm_load_balancer_lane {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str lane;   /* at most 4 KiB; empty = the Service's own */
} ccm_load_balancer_lane;

/* [result] [since 1.0] */
typedef struct ccm_load_balancer_limits {
  uint32_t size;
  uint32_t flags;         /* 0 */
  int64_t load_balancers; /* of the account; 0 = not known */
  int64_t backends;       /* of one load balancer; 0 = not known */
  /* The annotation in which a load balancer's id is recorded on its Service. Empty =
   * "cloud-controller-manager/load-balancer-id". */
  ccm_str id_annotation;
  int64_t timeout_ms; /* of one operation; 0 = 60 s, at most 10 minutes */
  int64_t parallel;   /* operations at once that the cloud bears; 0 = any number */
} ccm_load_balancer_limits;

/* [plugin table] [since 1.0] */
typedef struct ccm_cloud_loadbalancers {
  uint32_t size;
  uint32_t reserved;

  /* Reads what the cloud has for this Service; writes nothing. ABSENT is a success. Without it the host calls `ensure`
   * where it would observe. RESULT const ccm_load_balancer *. [operation] [optional] */
  void (*observe)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /*
   * Makes the load balancer be what the Service asks for. There may be no backends. ERRORS: class INVALID_SPEC when the
   * Service asks for something impossible; IMPLEMENTED_ELSEWHERE: another program does it, which counts as done. RESULT
   * const ccm_load_balancer *, also with a failure. [operation] [required]
   */
  void (*ensure)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /* Changes only the backends of a load balancer that exists. Without it `ensure` is called. ERRORS: NOT_FOUND when it
   * does not exist. RESULT const ccm_load_balancer *, also with a failure. [operation] [optional] */
  void (*update_backends)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /*
   * Deletes it, or leaves it when it is shared, and deletes what a broken creation left. The Service's ports may
   * be gone already, so it is found by id, name or UID. Success and class NOT_FOUND mean that nothing is left: never end
   * with that class for a 404 that a wrong path may have caused. ERRORS: class WAITING while the cloud still deletes;
   * FAILED_PRECONDITION, class NONE, reason CCM_REASON_NOT_OWNED when the recorded id leads to somebody else's and none
   * bears the Service's mark. RESULT NULL. [operation] [required]
   */
  void (*remove)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /* The name that the load balancer has or would get, without a call to the cloud. Without it default_name.
   * RESULT const ccm_load_balancer_name *. [operation] [optional] */
  void (*name)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /* Operations of one lane run one at a time: such as the id of the load balancer that several Services share. Without
   * a call to the cloud. Without it each Service is a lane. RESULT const ccm_load_balancer_lane *. [operation]
   * [optional] */
  void (*lane)(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

  /* RESULT const ccm_load_balancer_limits *. [operation] [optional] */
  void (*limits)(void *self, ccm_ctx ctx, const ccm_limits_request *request, ccm_completion done);
} ccm_cloud_loadbalancers;

#ifdef __cplusplus
}
#endif

#endif
