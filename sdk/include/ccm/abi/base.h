/*
 * The plugin ABI: types that every interface uses, and the rules that hold for all of them.
 *
 * 1. Plain C11, 64-bit only. Fixed-width integers; constants are anonymous enums and never appear in a signature;
 *    no bit-fields, no unions, no variable arguments.
 * 2. Everything is an interface found by id ("draft.ccm.host.log/1"): a table of functions and a `self` that is
 *    passed back as the first argument. Host services, providers and test doubles look alike.
 * 3. Each table, and each struct that is passed by pointer, starts with `uint32_t size`. A member beyond `size`, or
 *    NULL, means "not implemented". Tables grow at the end only. Structs that stand in arrays have no size and are
 *    frozen, or the array holds pointers.
 * 4. OWNERSHIP: nobody frees the other side's memory. Arguments live until the call returns, results until the
 *    completion function returns; who needs them longer copies. Opaque host objects (ccm_ctx, ccm_object) are
 *    reference counted.
 * 5. THREADS: each function carries a tag.
 *      [any-thread]  from any thread, at any time.
 *      [serial]      never two at once for one component, on the host's loop; must return within 10 ms.
 *      [worker]      on a thread of the host's pool; may block.
 *      [create]      only while `create` or `setup` runs.
 *    An operation of a component is [serial] when its manifest says "nonblocking": true, else [worker].
 *    A call from the wrong thread is refused with CCM_CODE_FAILED_PRECONDITION, logged and counted.
 * 6. No exception, panic or longjmp crosses in either direction.
 *
 * Until the ABI is frozen every id starts with "draft.".
 */
#ifndef CCM_ABI_BASE_H
#define CCM_ABI_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A borrowed string: UTF-8, not NUL-terminated. (NULL, 0) is a legal empty string; so is NULL with any length. Where the
 * host gets other bytes than UTF-8 it puts U+FFFD for each of them. Frozen.
 */
typedef struct ccm_str {
  const char *ptr;
  size_t len;
} ccm_str;

/* Frozen. */
typedef struct ccm_key_value {
  ccm_str key;
  ccm_str value;
} ccm_key_value;

/* An interface as it is handed out: the table's type follows from the id under which it was asked for. Frozen. */
typedef struct ccm_interface {
  void *self;
  const void *table;
} ccm_interface;

/* True when `member` of the table or struct at `p` lies within its size; functions must be compared with NULL too. */
#define CCM_HAS(p, member) \
  ((p)->size >= offsetof(__typeof__(*(p)), member) + sizeof((p)->member))

#ifdef __cplusplus
}
static_assert(sizeof(void *) == 8, "the ccm ABI is 64-bit only");
#else
_Static_assert(sizeof(void *) == 8, "the ccm ABI is 64-bit only");
#endif

#endif
