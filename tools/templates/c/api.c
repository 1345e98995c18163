#include "api.h"

struct call {
  const struct provider *provider;
  ccm_completion done;
  reader read;
  void *owner;
};

static void answered(void *owner, uint64_t operation, const ccm_status *status, const void *result) {
  (void)operation;
  const struct call *call = owner;
  if (status->code != CCM_CODE_OK) return ccm_pass(call->done, status, NULL);
  const ccm_http_response *response = result;
  const ccm_objects objects = call->provider->objects;
  /* One that is larger than an answer should be counts as none. */
  const ccm_bool fits = ccm_check_json(response->body, NULL) == NULL;
  const ccm_object *answer = fits ? objects.table->parse(objects.self, response->body) : NULL;
  call->read(call->owner, response, ccm_root(objects, answer));
  if (answer != NULL) objects.table->release(objects.self, answer);
}

void ask(const struct provider *provider, ccm_ctx ctx, const struct question *question, ccm_completion done, reader read,
         void *owner) {
  const ccm_host_config *config = provider->config.table;
  const ccm_host_http *http = provider->http.table;
  char token[4096] = "";
  ccm_str endpoint = {NULL, 0};
  config->flag(provider->config.self, ccm_text("@NAME@-endpoint"), &endpoint);
  /* $@VARIABLE@_TOKEN, or the file that $@VARIABLE@_TOKEN_FILE names; read each time, so that it can rotate. */
  const int64_t length = config->secret(provider->config.self, ccm_text("@VARIABLE@_TOKEN"), token, sizeof(token));
  ccm_buffer url = {0}, authorization = {0};
  ccm_append_text(&url, endpoint);
  ccm_append_text(&url, question->path);
  ccm_append(&authorization, "Bearer ");
  if (length > 0 && length <= (int64_t)sizeof(token)) ccm_append_text(&authorization, (ccm_str){token, (size_t)length});
  const ccm_key_value headers[] = {{ccm_text("authorization"), ccm_borrow(&authorization)},
                                   {ccm_text("content-type"), ccm_text("application/json")}};
  const ccm_http_request request = {CCM_SIZED(ccm_http_request), .method = ccm_text(question->method),
                                    .url = ccm_borrow(&url), .headers = headers,
                                    .header_count = question->body.len > 0 ? 2 : 1, .body = question->body,
                                    .operation = ccm_text(question->operation)};
  struct call call = {provider, done, read, owner};
  if (endpoint.len == 0) {
    ccm_fail(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_NONE, "--@NAME@-endpoint is missing");
  } else if (url.failed || authorization.failed) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    http->send_wait(provider->http.self, ctx, &request, (ccm_completion){answered, &call, 0});
  }
  ccm_free(&authorization);
  ccm_free(&url);
}

void next_page(ccm_buffer *path, const char *first, ccm_str next) {
  ccm_free(path);
  if (next.len == 0) return;
  ccm_append(path, first);
  ccm_append(path, "?after=");
  ccm_append_percent_encoded(path, next);
}
