/*
 * Programs that a file of the operator names, such as credential_process in a profile of AWS. The host runs them apart
 * from itself: no shell, no descriptor of the host, its environment, a process group of its own that is killed when
 * the time is over. A draft (docs/plugin-abi.md).
 *
 * For the host:
 * R-174 It runs a command only when a line of `file` is "SETTING = COMMAND" with these words (SETTING in any case), and the file is a regular
 *       one that belongs to root or to the host's user, and that nobody else may write. So what a cloud, a Service or a
 *       Node says never becomes a command, whatever a plugin makes of it.
 * R-175 What the program prints is in no message and no log line. Messages have its path, or setting and file where
 *       the command does not begin with one, and how it ended, not its arguments.
 */
#ifndef CCM_ABI_PROCESS_H
#define CCM_ABI_PROCESS_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_PROCESS "draft.ccm.host.process/1"

/*
 * Words of a command are separated by blanks; '...' and "..." hold blanks, and a backslash the next character, in "..."
 * only before " and \. Nothing else has a meaning: no variables, no patterns, no other command. [request] [since 1.1]
 */
typedef struct ccm_run_request {
  uint32_t size;
  uint32_t flags;  /* 0 */
  ccm_str file;    /* absolute path */
  ccm_str setting; /* "credential_process" */
  ccm_str command; /* what stands behind the "=", without blanks around it and without a comment behind it (" #", " ;") */
} ccm_run_request;

/* [result] [since 1.1] */
typedef struct ccm_program_output {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str bytes;  /* of standard output; any bytes, at most 64 KiB */
} ccm_program_output;

/* [host table] [since 1.1] */
typedef struct ccm_host_process {
  uint32_t size;
  uint32_t reserved;

  /*
   * Runs a program to its end, for a minute at most. ERRORS: those of ccm_host_file.read for the file; PERMISSION_DENIED
   * (R-174); FAILED_PRECONDITION (it cannot be started, another exit code than 0, more output than that);
   * DEADLINE_EXCEEDED. RESULT const ccm_program_output *. [any-thread]
   */
  void (*run)(void *self, ccm_ctx ctx, const ccm_run_request *request, ccm_completion done);
} ccm_host_process;

#ifdef __cplusplus
}
#endif

#endif
