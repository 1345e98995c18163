// A provider whose listings run on a worker thread, and may block it.
#define FAULTY_NONBLOCKING "false"
#define FAULTY_TABLE
#include "faulty.h"

#include <unistd.h>

#include <stdexcept>

// No fault: it reads the cloud configuration for longer than that is in force.
static void read_config_while_it_changes(ccm_ctx ctx, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_CONFIG);
  const auto* config = static_cast<const ccm_host_config*>(found.table);
  const ccm_interface contexts = service(CCM_HOST_CTX);
  const auto* host_ctx = static_cast<const ccm_host_ctx*>(contexts.table);
  ccm_str before, now;
  char copy[64];
  if (!config->cloud_config(found.self, &before) || before.len >= sizeof(copy)) {
    end_with(done, CCM_CODE_INTERNAL, "no configuration", nullptr);
    return;
  }
  memcpy(copy, before.ptr, before.len);
  do {
    usleep(1000);
    config->cloud_config(found.self, &now);
  } while (now.ptr == before.ptr && host_ctx->ended(contexts.self, ctx) == 0);
  // The first text must be readable to the end of this operation.
  usleep(20000);
  if (memcmp(copy, before.ptr, before.len) != 0) abort();
  succeed_with(done, nullptr, 0);
}

static void throw_on_worker(ccm_ctx, ccm_completion) { throw std::runtime_error("out of ideas"); }

struct blocking {
  struct fault fault;
  void (*list)(ccm_ctx ctx, ccm_completion done);
};
static blocking faults[] = {
    {{"reads_config_while_it_changes", nullptr}, read_config_while_it_changes},
    {{"throws_on_worker", nullptr}, throw_on_worker},
};

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request*, ccm_completion done) {
  static_cast<const blocking*>(self)->list(ctx, done);
}
FAULTY_LIST("blocking-listings", list)
