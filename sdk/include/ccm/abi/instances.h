/*
 * Machines of the cloud, and which of them is which Node. The host's broker turns this into a snapshot that all
 * controllers share: one listing answers thousands of Nodes. The same table is what controllers get from the host.
 */
#ifndef CCM_ABI_INSTANCES_H
#define CCM_ABI_INSTANCES_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/object.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_CLOUD_INSTANCES "draft.ccm.cloud.instances/1"

/*
 * Values of ccm_instance.state. Only ABSENT and TERMINATED ever lead to the deletion of a Node. Any other value, and a
 * name or provider ID that is no UTF-8, count as UNKNOWN.
 */
enum {
  CCM_INSTANCE_UNKNOWN = 0,    /* the cloud did not say; nothing may be concluded */
  CCM_INSTANCE_RUNNING = 1,    /* exists; also while it moves or is locked */
  CCM_INSTANCE_SHUTDOWN = 2,   /* exists, but is switched off */
  CCM_INSTANCE_TERMINATED = 3, /* the cloud says explicitly that it was destroyed */
  CCM_INSTANCE_ABSENT = 4,     /* a complete answer did not contain it */
  CCM_INSTANCE_STARTING = 5    /* exists, but is still being built: no Node is initialised from it yet */
};

/*
 * Bits of ccm_instance_list.flags. INCOMPLETE: what is listed is there, but machines may be missing, since they came and
 * went while the pages were read and a second reading was no better. Nothing is concluded from what is not listed.
 */
#define CCM_INSTANCES_INCOMPLETE 1u

/* type: Hostname, InternalIP, ExternalIP, InternalDNS, ExternalDNS. Frozen. */
typedef struct ccm_node_address {
  ccm_str type;
  ccm_str address;
} ccm_node_address;

typedef struct ccm_instance {
  uint32_t size;
  int32_t state;
  ccm_str provider_id;   /* "digitalocean://123", with one of the manifest's prefixes; empty when unknown */
  ccm_str name;          /* equals the Node's name where the cloud keeps to that */
  ccm_str instance_type;
  ccm_str zone;
  ccm_str region;
  const ccm_node_address *addresses; /* in the order in which the Node shows them */
  size_t address_count;
  const ccm_key_value *labels; /* further labels; those that the Node has are kept, keys of kubernetes.io left out */
  size_t label_count;
} ccm_instance;

typedef struct ccm_instance_list {
  uint32_t size;
  uint32_t reserved;
  const ccm_instance *const *instances; /* one that stands twice counts once, as it stands last */
  size_t count;
  uint32_t flags; /* CCM_INSTANCES_* */
} ccm_instance_list;

/* Which machine is meant: by provider ID when the Node has one, else by name. */
typedef struct ccm_node_identity {
  uint32_t size;
  /* From a controller: the answer must not be older, unless that would cost the host too many calls;
   * 0 = the host's choice. 0 for a provider. */
  uint32_t max_age_ms;
  ccm_str name;
  ccm_str provider_id;
  /* For labels and annotations; may be NULL. From a controller also for its age: an answer that began before the host
   * first saw this Node may be about the machine of an earlier one of its name, and is not given. */
  const ccm_object *node;
} ccm_node_identity;

typedef struct ccm_cloud_instances {
  uint32_t size;
  uint32_t reserved;

  /*
   * Every machine of the cluster's account, project or region; paged inside. A listing that could not be read to its
   * end must fail: half a list would look like vanished machines. One whose pages shifted while they were read is read
   * once more, and has CCM_INSTANCES_INCOMPLETE when that did not help. RESULT: const ccm_instance_list *.
   * Optional, as is `describe`; a provider needs one of the three. [serial] or [worker]
   */
  void (*list)(void *self, const ccm_ctx *ctx, ccm_completion done);

  /* Machines of these Nodes in one call to the cloud where it can do that. RESULT: const ccm_instance_list *, with
   * element i the answer for nodes[i] (state ABSENT or UNKNOWN where there is none). */
  void (*describe)(void *self, const ccm_ctx *ctx, const ccm_node_identity *const *nodes, size_t count,
                   ccm_completion done);

  /* One machine. CCM_CODE_NOT_FOUND with class NOT_FOUND means certainly absent. RESULT: const ccm_instance *. */
  void (*get)(void *self, const ccm_ctx *ctx, const ccm_node_identity *node, ccm_completion done);
} ccm_cloud_instances;

#ifdef __cplusplus
}
#endif

#endif
