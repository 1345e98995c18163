/*
 * The plugin ABI: the types that every interface uses, and the rules that hold for all of them. A rule keeps its number
 * for ever (R-n, in these headers alone); conformance tests cite it. The headers of the interfaces add rules of their
 * own.
 *
 * FORM
 * R-1  Plain C11, 64-bit only. Fixed-width integers; constants are anonymous enums and never appear in a signature. No
 *      bit-fields, unions, variable arguments, and no `bool`: another language may store a byte in it that is neither 0
 *      nor 1.
 * R-2  Everything is an interface found by id ("ccm.host.log/1"): a table of functions, and a `self` that is
 *      passed back as their first argument. Host services, providers and test doubles look alike, so that each can wrap
 *      the other.
 * R-3  An operation, which may take time, is `void op(void *self, ccm_ctx ctx, const ccm_X_request *request,
 *      ccm_completion done)`. It ends by its completion (ccm/abi/status.h). All other functions return at once.
 *
 * GROWTH
 * R-4  Each table, and each struct that is passed by pointer, starts with `uint32_t size`: the bytes of it that its
 *      maker knew, a multiple of 8, at most CCM_SIZE_LIMIT. It grows at its end only and has no padding. Structs that
 *      are marked [frozen] have no size and never change. Arrays hold frozen structs or pointers, and a count stands
 *      beside every one.
 * R-5  Reading a struct or table: a member beyond its size counts as 0, NULL or empty. A function beyond it, or NULL,
 *      counts as not implemented. CCM_HAS and ccm_copy_known() do that.
 * R-6  A [request] says what is asked; it begins with its size and `uint32_t flags`. One in which its reader does not
 *      know something, or in a request that it points to, is refused with CCM_CODE_UNIMPLEMENTED, reason
 *      CCM_REASON_UNKNOWN_REQUEST, before anything is done: other bytes than 0 beyond those that the reader knows, flag
 *      bits, values of an enum. ccm_only_known() finds the first two. A function without a completion says what it does
 *      instead.
 * R-7  A [result] or [notice] says what is. Unknown bytes and flag bits in it are ignored. 0 in an enum means "not
 *      said", and each enum says what an unknown value counts as.
 * R-8  Each side knows the other's minor version: ccm_host.abi_minor, ccm_plugin.abi_minor. A member of a request that
 *      is newer than the other side stays 0, unless to ignore it would be wrong; then R-6 is what the caller wants.
 * R-9  Nothing becomes mandatory later, and what was released keeps its meaning. An incompatible change gets an id of
 *      its own ("/2"), and the host goes on serving the old one.
 *
 * OWNERSHIP
 * R-10 Nobody frees the other side's memory. Arguments live until the call returns, results until the completion
 *      function returns; copy what is needed longer. Exceptions say OWNERSHIP.
 * R-11 A pointer is not NULL unless it is marked [null], or belongs to an array whose count is 0. An empty text may be
 *      (NULL, n).
 * R-12 A ccm_ctx is a number that the host looks up: using one that has ended is harmless (ccm/abi/ctx.h). A ccm_object
 *      is reference counted (ccm/abi/object.h), and using one that was given back is not.
 * R-13 A ccm_callback that was handed over is dropped exactly once: `drop(owner)` is called after the last call of
 *      `fn`, or instead of it, whatever happens: it ran, it was removed, it was refused, the component ends. It is
 *      called in [serial], or inside the call that registered or removed the callback, and at the latest before
 *      `destroy` of the component. It frees memory, and of the host's functions calls only those that give back or
 *      remove something. Only a component that is never destroyed keeps its callbacks.
 *
 * THREADS
 * R-14 Each function carries tags:
 *        [any-thread]  from any thread, at any time, in parallel.
 *        [serial]      never two at once for one plugin, with all its components; on any OS thread, and not always on
 *                      the same. Must return within 10 ms.
 *        [worker]      on a thread of the host's pool, in parallel with [serial] and with up to the manifest's
 *                      maxParallel of the plugin, with all its components. May block.
 *        [operation]   [serial] when the manifest says "nonblocking": true, else [worker].
 *        [create]      only while `open`, `create` or `setup` of the component runs, and in [serial]: from the call of
 *                      it until it was completed.
 *      For functions of a plugin the tag says where the host calls them, for functions of the host where they may be
 *      called.
 * R-15 A call from elsewhere is refused, logged once and counted: an operation ends with CCM_CODE_FAILED_PRECONDITION,
 *      reason CCM_REASON_WRONG_THREAD, a function returns 0, a callback is dropped.
 * R-16 No exception, panic or longjmp crosses in either direction. One that does cannot always be caught: then it ends
 *      the process.
 *
 * THE PROCESS is the host's. A plugin, and the runtime and libraries that it brings,
 * R-17 installs no signal handler and no signal mask for a thread that it did not start; blocks all signals in those
 *      that it starts (in Go: no signal.Notify). A language's runtime may have handlers for faults of its own code
 *      and for its own threads, when it passes every other signal on to the handler that was there, as Go's does.
 * R-18 never ends the process: no exit, _exit, abort, os.Exit, no goroutine or thread that dies of a panic; and
 *      registers nothing with atexit that uses the host or another thread.
 * R-19 leaves the environment, the working directory, umask, locale, standard streams, rounding mode and resource
 *      limits alone: no setenv, chdir, setlocale. The locale is "C".
 * R-20 does not fork. It may start programs with posix_spawn, and opens descriptors with O_CLOEXEC.
 * R-21 needs no more stack than 256 KiB on a thread of the host.
 * R-22 may start threads, and ends them before `destroy` of their component, or `close` of the plugin, returns. The
 *      threads of a runtime that never ends (Go's) may stay: they call nothing of the host. The plugin's image stays
 *      mapped until the process ends.
 * R-23 does nothing but initialise its own memory when it is loaded (static constructors, Go's init): no thread, no
 *      file, no call of the host. A runtime may start its own threads then.
 */
#ifndef CCM_ABI_BASE_H
#define CCM_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 = no, any other value = yes. [since 1.0] */
typedef uint32_t ccm_bool;

/*
 * A borrowed text: UTF-8, not NUL-terminated. Where the host gets other bytes than UTF-8 it puts U+FFFD for each of
 * them. [frozen] [since 1.0]
 */
typedef struct ccm_str {
  const char *ptr; /* [null] = empty, whatever `len` */
  size_t len;
} ccm_str;

/* [frozen] [since 1.0] */
typedef struct ccm_key_value {
  ccm_str key;
  ccm_str value;
} ccm_key_value;

/* An interface as it is handed out: the table's type follows from the id under which it was asked for.
 * [frozen] [since 1.0] */
typedef struct ccm_interface {
  void *self; /* [null] */
  const void *table;
} ccm_interface;

/* Called once, or each time something happens; the function that takes it says which. [serial] [since 1.0] */
typedef void (*ccm_callback_fn)(void *owner);

/* [since 1.0] */
typedef void (*ccm_drop_fn)(void *owner);

/* A function of the plugin that the host calls later, and what it needs. Passed by value. The host does not look at
 * `owner`, which may be any value, such as the number of a handle. [frozen] [since 1.0] */
typedef struct ccm_callback {
  ccm_callback_fn fn;
  ccm_drop_fn drop; /* [null] */
  void *owner;      /* [null] */
} ccm_callback;

/* No struct or table is larger. */
#define CCM_SIZE_LIMIT 4096

/* True when `member` of the table or struct at `p` lies within its size; functions must be compared with NULL too. */
#define CCM_HAS(p, member) \
  ((p)->size >= offsetof(__typeof__(*(p)), member) + sizeof((p)->member))

/*
 * Copies the struct at `from`, which begins with its size, to `to`, where there is room for the `known` bytes that this
 * side knows of it. Bytes beyond its size become 0.
 */
static inline void ccm_copy_known(void *to, size_t known, const void *from) {
  const unsigned char *in = (const unsigned char *)from;
  unsigned char *out = (unsigned char *)to;
  const size_t size = *(const uint32_t *)from;
  for (size_t i = 0; i < known; ++i) out[i] = i < size ? in[i] : 0;
}

/*
 * Whether a request asks for nothing that this side does not know. `known` is sizeof of the struct as this side
 * knows it, `known_flags` has every bit that it knows.
 */
static inline ccm_bool ccm_only_known(const void *request, size_t known, uint32_t known_flags) {
  const uint32_t *begin = (const uint32_t *)request;
  const size_t size = begin[0];
  if (size > CCM_SIZE_LIMIT) return 0;
  if (size >= 2 * sizeof(uint32_t) && (begin[1] & ~known_flags) != 0) return 0;
  for (size_t i = known; i < size; ++i) {
    if (((const unsigned char *)request)[i] != 0) return 0;
  }
  return 1;
}

#ifdef __cplusplus
}
static_assert(sizeof(void *) == 8, "the ccm ABI is 64-bit only");
#else
_Static_assert(sizeof(void *) == 8, "the ccm ABI is 64-bit only");
#endif

#endif
