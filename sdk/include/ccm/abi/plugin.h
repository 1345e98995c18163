/*
 * The entry of a plugin: one exported function, its manifest, and the components that it makes.
 *
 *   ccm_plugin_v1()                      reads the table; no code of the plugin has run before but static constructors
 *     open                               once, before the first component; what components share begins here
 *       create("provider")               a provider comes first, at most one
 *         get_interface(CCM_PROVIDER)
 *         initialize                     repeated until it succeeds, also on a standby; meanwhile no other operation
 *         get_interface(CCM_CLOUD_...)   which of them exist is known after the log-in
 *         limits                         of each
 *       create("controller") ...         each controller, of any plugin
 *         get_interface(CCM_CONTROLLER)
 *         setup                          after the provider's initialize succeeded
 *         reconcile, reconcile ...       while this host leads; the provider's operations run on behalf of them
 *         stop                           when no reconcile runs any more
 *         destroy
 *       shutdown                         of the provider, when all controllers are gone and the Lease was given back;
 *                                        HTTP still works: log out, with CCM_HTTP_READ_ONLY unless it is a GET
 *       destroy                          of the provider
 *     close                              after the last `destroy`
 *   the process ends                     static destructors; the image was never unmapped
 *
 * R-50 The host calls these functions in this order, each only after the one before was completed. One that is NULL is
 *      left out.
 * R-51 Before `destroy` all operations of the component have ended, all that it started has been completed, and
 *      its callbacks have been dropped. Its threads may still run: `destroy` ends them.
 * R-52 In `destroy`, and in `close`, only these may be called: log, metrics.record, the clocks, everything of
 *      ccm_host_object, and what gives back or removes something. The rest is refused.
 * R-53 Host, services and their tables stay valid until `destroy` returned; those of `open` until `close` returned. A
 *      call that comes later still, from a stray thread, is refused, not a crash.
 * R-54 A component with an operation that it did not complete in time is not destroyed: it stays in memory, with
 *      everything that it uses, until the process ends; its plugin is then not closed either.
 */
#ifndef CCM_ABI_PLUGIN_H
#define CCM_ABI_PLUGIN_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The major version is in the entry's name; the minor grows when something was added. */
#define CCM_ABI_MAJOR 1
#define CCM_ABI_MINOR 1
#define CCM_PLUGIN_ENTRY "ccm_plugin_v1"

/* Bits of ccm_host.flags. [since 1.0] */
enum {
  CCM_NONBLOCKING = 1 /* the manifest says "nonblocking": true: an [operation] is [serial] */
};

/* The host as a component sees it, or that which components share: its services by id. [host table] [since 1.0] */
typedef struct ccm_host {
  uint32_t size;
  uint32_t abi_minor; /* of the headers that the host was built with */
  uint32_t flags;
  uint32_t reserved;
  void *self;

  /*
   * 0 when this host does not have the interface, and leaves `*out` alone; the component says what it misses, or does
   * without. The same answer for the whole life of the component, but for CCM_CLOUD_...: those are there when `setup`
   * is called. `id` is NUL-terminated. [any-thread]
   */
  ccm_bool (*get_interface)(void *self, const char *id, ccm_interface *out);
} ccm_host;

/* One component, as a plugin gives it. The host copies the struct; `self` lives until destroy.
 * [plugin table] [since 1.0] */
typedef struct ccm_component {
  uint32_t size;
  uint32_t reserved;
  void *self; /* [null] */

  /*
   * The component's interfaces by id (CCM_CONTROLLER, CCM_CLOUD_INSTANCES, ...). Asked when the picture above says, for
   * some again. OWNERSHIP: `self` and table of the interface stay valid until destroy. [serial] [required]
   */
  ccm_bool (*get_interface)(void *self, const char *id, ccm_interface *out);

  /* Frees the component, and ends its threads.. [serial] [required] */
  void (*destroy)(void *self);
} ccm_component;

/* [request] [since 1.0] */
typedef struct ccm_open_request {
  uint32_t size;
  uint32_t flags;       /* 0 */
  const ccm_host *host; /* in the plugin's own name; has no CCM_CLOUD_..., no CCM_HOST_SETUP and no CCM_HOST_QUEUE */
} ccm_open_request;

/* [result] [since 1.0] */
typedef struct ccm_opened {
  uint32_t size;
  uint32_t flags; /* 0 */
  void *self;     /* [null] `self` of create and close */
} ccm_opened;

/* [request] [since 1.0] */
typedef struct ccm_create_request {
  uint32_t size;
  uint32_t flags;       /* 0 */
  const ccm_host *host; /* the component's own */
  ccm_str component;    /* its name in the manifest */
} ccm_create_request;

/* A plugin, as its entry gives it. [plugin table] [since 1.0] */
typedef struct ccm_plugin {
  uint32_t size;
  uint32_t abi_minor; /* CCM_ABI_MINOR of the headers that it was built with */

  /*
   * The manifest: the same JSON text that stands in the ELF note (CCM_PLUGIN_MANIFEST), so that what is read without
   * running code is what runs. docs/reference/plugin-manifest.md names its fields.
   */
  ccm_str manifest;

  /*
   * Makes what the plugin's components share, such as a token and its renewal, a catalog, connections. May not block:
   * log in in ccm_provider.initialize. `self` is NULL. A failure ends the host with its message. RESULT const
   * ccm_opened *. [create] [optional] [null: self]
   */
  void (*open)(void *self, ccm_ctx ctx, const ccm_open_request *request, ccm_completion done);

  /*
   * Makes one component that the manifest lists. May not block. `self` is what open gave, NULL without. A failure ends
   * the host with its message; NOT_FOUND for an unknown name. RESULT const ccm_component *. [create] [required] [null:
   * self]
   */
  void (*create)(void *self, ccm_ctx ctx, const ccm_create_request *request, ccm_completion done);

  /* Frees what open made. Called only when every component was destroyed. [serial] [optional] [null: self] */
  void (*close)(void *self);
} ccm_plugin;

/* The only symbol that a plugin exports. Returns static data and does nothing else. [any-thread] [since 1.0] */
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
  enum { ccm_plugin_manifest_length = sizeof(json) - 1u };                                               \
  static const ccm_str ccm_plugin_manifest __attribute__((unused)) = {                                   \
      ccm_plugin_note.text, sizeof(json) - 1u}

/*
 * The same from a file, for builds without CMake: CCM_PLUGIN_MANIFEST_FILE("plugin.json"); at file scope of one source
 * file. The assembler looks for it in the folder in which the compiler runs, then in those of -I; no build tool sees that
 * the object depends on it. The size is not known to the compiler: copy `ccm_plugin_manifest` to `ccm_plugin.manifest`
 * in a constructor, as CCM_ENTRY of ccm/c/provider.h does.
 */
#define CCM_PLUGIN_MANIFEST_FILE(path)                                                   \
  __asm__(                                                                               \
      ".pushsection .note.ccm, \"a\", %note\n"                                           \
      ".balign 4\n"                                                                      \
      ".long 4, ccm_plugin_manifest_end - ccm_plugin_manifest_begin, 1\n"                \
      ".asciz \"ccm\"\n"                                                                 \
      "ccm_plugin_manifest_begin:\n"                                                     \
      ".incbin \"" path "\"\n"                                                           \
      ".byte 0\n"                                                                        \
      "ccm_plugin_manifest_end:\n"                                                       \
      ".balign 4\n"                                                                      \
      ".popsection\n"                                                                    \
      ".pushsection .data.rel.ro, \"aw\"\n"                                              \
      ".balign 8\n"                                                                      \
      ".globl ccm_plugin_manifest\n"                                                     \
      ".hidden ccm_plugin_manifest\n"                                                    \
      "ccm_plugin_manifest:\n"                                                           \
      ".quad ccm_plugin_manifest_begin\n"                                                \
      ".quad ccm_plugin_manifest_end - ccm_plugin_manifest_begin - 1\n"                  \
      ".popsection\n");                                                                  \
  extern const ccm_str ccm_plugin_manifest __attribute__((visibility("hidden")))

/* The text of CCM_PLUGIN_MANIFEST, in a constant braced list: .manifest = CCM_PLUGIN_MANIFEST_TEXT */
#define CCM_PLUGIN_MANIFEST_TEXT {ccm_plugin_note.text, ccm_plugin_manifest_length}

#ifdef __cplusplus
}
#endif

#endif
