/*
 * Instances of the cloud, and which of them is which Node. The host's broker turns this into a snapshot that all
 * controllers share: one listing answers thousands of Nodes. The same table is what controllers get from the host.
 *
 * R-70 Only ABSENT and TERMINATED ever lead to the deletion of a Node. A timeout, a refusal or a page that could not be
 *      read is a failure, or makes instances unknown; never an absence.
 * R-71 A listing is complete, says what it lacks, or fails; half a list would look like vanished instances.
 * R-72 A listing that one region or project did not answer need not fail: instances whose provider ID begins with one of
 *      `unknown_prefixes` are unknown, unless they are listed. An empty prefix is all instances: right for a listing
 *      whose pages shifted while they were read, also the second time. A Node without provider ID that is not listed is
 *      unknown while there is any such prefix.
 * R-73 An instance has one provider ID of its own, which `list`, `describe` and `get` answer whatever accepted spelling a
 *      Node uses: it decides which of several Nodes has the instance. A listing names the other spellings in `other_ids`,
 *      or Nodes that use them are absent from it.
 */
#ifndef CCM_ABI_INSTANCES_H
#define CCM_ABI_INSTANCES_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/provider.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_INSTANCES "ccm.cloud.instances/1"

/* Values of ccm_instance.state. Any other counts as UNKNOWN, and so does an instance whose name or provider ID is no
 * UTF-8. [since 1.0] */
enum {
  CCM_INSTANCE_UNKNOWN = 0,    /* the cloud did not say; nothing may be concluded */
  CCM_INSTANCE_RUNNING = 1,    /* exists; also while it moves or is locked */
  CCM_INSTANCE_SHUTDOWN = 2,   /* exists, but is switched off */
  CCM_INSTANCE_TERMINATED = 3, /* the cloud says explicitly that it was destroyed */
  CCM_INSTANCE_ABSENT = 4,     /* a complete answer did not contain it */
  CCM_INSTANCE_STARTING = 5    /* exists, but is still being built: no Node is initialised from it yet */
};

/* type: Hostname, InternalIP, ExternalIP, InternalDNS, ExternalDNS. [frozen] [since 1.0] */
typedef struct ccm_node_address {
  ccm_str type;
  ccm_str address;
} ccm_node_address;

/* [result] [since 1.0] */
typedef struct ccm_instance {
  uint32_t size;
  int32_t state;
  ccm_str provider_id; /* "digitalocean://123", with one of the manifest's prefixes; empty when unknown */
  ccm_str name;        /* equals the Node's name where the cloud keeps to that */
  ccm_str instance_type;
  ccm_str zone;
  ccm_str region;
  const ccm_node_address *addresses; /* in the order in which the Node is to show them; one at least when it runs */
  size_t address_count;
  const ccm_key_value *labels; /* further labels; those that the Node has are kept, keys of kubernetes.io left out */
  size_t label_count;
  /* [null] From the host, of `describe`: why nothing is known of it, when its state is UNKNOWN; when it is ABSENT, the name or
   * provider ID that was looked for and what resembles it, with the code NOT_FOUND. NULL from a provider. [since 1.1] */
  const ccm_status *why;
  /* Other provider IDs under which a Node may name this instance, with or without its region for example. None of
   * them is the ID of another instance of the listing, or the listing is a failure. [since 1.1] */
  const ccm_str *other_ids;
  size_t other_id_count;
} ccm_instance;

/* A list that ends before `count` is a failure. [result] [since 1.0] */
typedef struct ccm_instance_list {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_instance *const *instances; /* one that stands twice counts once, as it stands last */
  size_t count;
  const ccm_str *unknown_prefixes; /* */
  size_t unknown_prefix_count;
} ccm_instance_list;

/* The instance that is meant: by provider ID when the Node has one, else by name. [request] [since 1.0] */
typedef struct ccm_node_identity {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str name;
  ccm_str provider_id; /* may be empty */
  /* [null] For labels and annotations. From a controller also for its age: an answer that began before the host first
   * saw this Node may be about the instance of an earlier one of its name, and is not given. */
  const ccm_object *node;
  /* From a controller: the answer is not to be older, unless that would cost the host too many calls (a request about
   * many instances); 0 = the host's choice. 0 for a provider. */
  int64_t max_age_ms;
} ccm_node_identity;

/* [request] [since 1.0] */
typedef struct ccm_list_instances_request {
  uint32_t size;
  uint32_t flags; /* 0 */
} ccm_list_instances_request;

/* [request] [since 1.0] */
typedef struct ccm_describe_instances_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_node_identity *const *nodes;
  size_t node_count;
} ccm_describe_instances_request;

/* [request] [since 1.0] */
typedef struct ccm_get_instance_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  const ccm_node_identity *node;
} ccm_get_instance_request;

/* [result] [since 1.0] */
typedef struct ccm_instance_limits {
  uint32_t size;
  uint32_t flags;          /* 0 */
  int64_t timeout_ms;      /* of describe and get; 0 = 30 s, at most 10 minutes, as are the others */
  int64_t list_timeout_ms; /* 0 = 60 s */
  int64_t batch;           /* Nodes that one `describe` takes at most; 0 = any number */
  int64_t parallel;        /* operations at once that the cloud bears; 0 = any number */
} ccm_instance_limits;

/* A provider needs one of list, describe and get; the host's table has all. [plugin table] [since 1.0] */
typedef struct ccm_cloud_instances {
  uint32_t size;
  uint32_t reserved;

  /* Every instance of the cluster's account, project or region; paged inside. RESULT const ccm_instance_list *.
   * [operation] [optional] */
  void (*list)(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done);

  /* The instances of these Nodes, in one call to the cloud where it can do that. RESULT const ccm_instance_list *:
   * element i is the answer for nodes[i], with state ABSENT or UNKNOWN where there is none. [operation] [optional] */
  void (*describe)(void *self, ccm_ctx ctx, const ccm_describe_instances_request *request, ccm_completion done);

  /* One instance. ERRORS: NOT_FOUND with class NOT_FOUND: certainly absent. RESULT const ccm_instance *.
   * [operation] [optional] */
  void (*get)(void *self, ccm_ctx ctx, const ccm_get_instance_request *request, ccm_completion done);

  /* RESULT const ccm_instance_limits *. [operation] [optional] */
  void (*limits)(void *self, ccm_ctx ctx, const ccm_limits_request *request, ccm_completion done);
} ccm_cloud_instances;

#ifdef __cplusplus
}
#endif

#endif
