/*
 * The entry of a plugin: one exported function, its manifest, and the components it makes.
 */
#ifndef CCM_ABI_PLUGIN_H
#define CCM_ABI_PLUGIN_H

#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The major version is in the entry's name; the minor grows when something was added. */
#define CCM_ABI_MAJOR 1
#define CCM_ABI_MINOR 0
#define CCM_PLUGIN_ENTRY "ccm_plugin_v1"

/*
 * The host's side for a component: host services by id. A service which this host does not have leaves `*out`
 * alone and returns false; the component says what it misses or does without.
 * Host and services stay valid until `destroy` of the component returned.
 */
typedef struct ccm_host {
  uint32_t size;
  uint32_t abi_minor;
  void *self;
  bool (*get_interface)(void *self, const char *id, ccm_interface *out); /* [any-thread] */
} ccm_host;

/* The plugin's side of one component. The struct itself is copied by the host; `self` lives until destroy. */
typedef struct ccm_component {
  uint32_t size;
  uint32_t reserved; /* 0 */
  void *self;
  /* The component's interfaces by id (draft.ccm.controller/1, draft.ccm.cloud.instances/1, ...). [create] [serial] */
  bool (*get_interface)(void *self, const char *id, ccm_interface *out);
  /*
   * Frees the component. The host calls it once, after every operation completed or was given up; no host service
   * may be called after it returned. Completions still in flight are dropped. [serial]
   */
  void (*destroy)(void *self);
} ccm_component;

typedef struct ccm_plugin {
  uint32_t size;
  uint32_t abi_minor; /* CCM_ABI_MINOR of the headers it was built with */
  /*
   * The manifest: the same JSON text that stands in the ELF note (CCM_PLUGIN_MANIFEST), so that what is read without
   * running code is what runs. docs/reference/plugin-manifest.md names its fields.
   */
  ccm_str manifest;
  /*
   * Makes one component that the manifest lists. May not block and starts no thread that it would not end in
   * `destroy`; talking to the cloud belongs into ccm_provider.initialize. `done` may be called before the return.
   * RESULT: const ccm_component *. [create]
   */
  void (*create)(const ccm_host *host, ccm_str component, ccm_completion done);
} ccm_plugin;

/* The only symbol that a plugin exports. Returns static data and does nothing else. [any-thread] */
typedef const ccm_plugin *(*ccm_plugin_entry_fn)(void);

#define CCM_PLUGIN_EXPORT __attribute__((visibility("default")))

/*
 * The ELF note: section ".note.ccm", owner "ccm", type 1, description = the manifest and its NUL.
 * CCM_PLUGIN_MANIFEST("{...}") at file scope defines it and `ccm_plugin_manifest`, which `ccm_plugin.manifest` takes.
 * ccm_add_plugin() writes this from a JSON file, so most authors never see it.
 */
#define CCM_NOTE_SECTION ".note.ccm"
#define CCM_NOTE_OWNER "ccm"
#define CCM_NOTE_TYPE_MANIFEST 1

#define CCM_PLUGIN_MANIFEST(json)                                                                        \
  static const struct {                                                                                  \
    uint32_t name_size, text_size, type;                                                                 \
    char name[4];                                                                                        \
    char text[(sizeof(json) + 3u) / 4u * 4u];                                                            \
  } ccm_plugin_note __attribute__((section(CCM_NOTE_SECTION), used, aligned(4))) = {                     \
      4, (uint32_t)sizeof(json), CCM_NOTE_TYPE_MANIFEST, CCM_NOTE_OWNER, json};                   \
  static const ccm_str ccm_plugin_manifest = {ccm_plugin_note.text, sizeof(json) - 1u}

#ifdef __cplusplus
}
#endif

#endif
