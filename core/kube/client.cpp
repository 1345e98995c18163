#include "kube/client.hpp"

#include "kube/client_impl.hpp"
#include "kube/json_text.hpp"
#include "kube/transport_counts.hpp"

#include <ccm/percent_encode.hpp>

#include <random>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

// A server with streamed lists may still answer with the object.
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::size_t kLargestObject = 8u << 20;
constexpr std::size_t kLargestList = 64u << 20;
// As Go's clients ask. Custom resources come as JSON.
constexpr const char* kProtobufOrJson = "application/vnd.kubernetes.protobuf,application/json";

// "?a=b&c=d", empty without parameters.
class Query {
 public:
  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_.append(key).append("=").append(percent_encode(value));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Directs the call at an object, or without a name at all of them; `id` is that of the resource.
void direct(Call& call, std::string id, std::string path, const std::string& namespace_name,
            const std::string& name) {
  call.resource = std::move(id);
  call.path = std::move(path);
  call.what = call.verb + " " + call.resource;
  if (name.empty() && namespace_name.empty()) return;
  call.what += " " + namespace_name;
  if (!namespace_name.empty() && !name.empty()) call.what += "/";
  call.what += name;
}

Query write_query(const WriteOptions& options) {
  Query query;
  query.add("fieldManager", options.field_manager);
  return query;
}

template <typename Options>
const Options& never_destroyed() {
  static const auto& none = *new Options;
  return none;
}

std::string_view media_type(PatchType type) {
  switch (type) {
    case PatchType::json:
      return "application/json-patch+json";
    case PatchType::merge:
      return "application/merge-patch+json";
    case PatchType::strategic_merge:
      return "application/strategic-merge-patch+json";
    case PatchType::apply:
      break;
  }
  return "application/apply-patch+yaml";
}

std::string delete_body(const DeleteOptions& options) {
  std::string body = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  std::string conditions = "{";
  append_json_member(conditions, "uid", options.uid);
  append_json_member(conditions, "resourceVersion", options.resource_version);
  if (conditions != "{") body += ",\"preconditions\":" + conditions + "}";
  return body + "}";
}

Query list_query(const ListOptions& options) {
  Query query;
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  if (options.limit > 0) query.add("limit", std::to_string(options.limit));
  if (!options.continue_token.empty()) {  // API-18, 132
    query.add("continue", options.continue_token);
    return query;
  }
  query.add("resourceVersion", options.resource_version);
  if (!options.resource_version.empty()) {  // API-16
    query.add("resourceVersionMatch", options.resource_version_match);
  }
  return query;
}

Query watch_query(const WatchOptions& options) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<int> seconds(300, 600);  // API-31
  Query query;
  query.add("watch", "true");
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  query.add("resourceVersion", options.resource_version);
  if (options.bookmarks) query.add("allowWatchBookmarks", "true");
  query.add("timeoutSeconds", std::to_string(seconds(random)));
  if (options.send_initial_events) {  // API-38, 39
    query.add("sendInitialEvents", "true");
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  return query;
}

asio::awaitable<Result<std::string>> body_of(std::shared_ptr<Client::Impl> impl, Call call) {
  Result<Answer> answer = co_await exchange(std::move(impl), std::move(call));
  if (!answer.ok()) co_return answer.status();
  co_return std::move(answer->response.body);
}

asio::awaitable<Result<std::unique_ptr<net::ResponseStream>>> stream_of(
    std::shared_ptr<Client::Impl> impl, Call call) {
  Result<Answer> answer = co_await exchange(std::move(impl), std::move(call));
  if (!answer.ok()) co_return answer.status();
  co_return std::move(answer->stream);
}

}  // namespace

const CallOptions& CallOptions::defaults() { return never_destroyed<CallOptions>(); }
const WriteOptions& WriteOptions::defaults() { return never_destroyed<WriteOptions>(); }
const DeleteOptions& DeleteOptions::defaults() { return never_destroyed<DeleteOptions>(); }

Client::Impl::Impl(std::shared_ptr<Connection> connection_, ClientOptions options_)
    : connection(std::move(connection_)),
      options(std::move(options_)),
      limiter(connection->executor, options.qps, options.burst) {}

Call Client::Impl::make_call(std::string verb, std::string method, const CallOptions& call) const {
  Call result;
  result.verb = std::move(verb);
  result.method = std::move(method);
  result.timeout = call.timeout.count() > 0 ? call.timeout : options.timeout;
  result.retries = call.max_retries >= 0 ? call.max_retries : options.max_retries;
  result.rate_limited = call.rate_limited;
  result.max_response_bytes =
      call.max_response_bytes > 0 ? call.max_response_bytes : kLargestObject;
  result.deadline = call.deadline;
  result.stop = call.stop;
  return result;
}

Client::Client(asio::any_io_executor executor, ClientConfig config, ClientOptions options)
    : impl_(std::make_shared<Impl>(
          std::make_shared<Connection>(std::move(executor), std::move(config)),
          std::move(options))) {}
Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client Client::derive(ClientOptions options) const {
  ++TransportCounts::of_process().shared;
  return Client(std::make_shared<Impl>(impl_->connection, std::move(options)));
}

Status Client::check() const {
  Connection& connection = *impl_->connection;
  if (Status status = connection.credentials.load(); !status.ok()) return status;
  connection.use_current_tls();
  return connection.http->check();
}

const ClientConfig& Client::config() const { return impl_->connection->config; }
asio::any_io_executor Client::executor() const { return impl_->connection->executor; }

asio::awaitable<Result<std::string>> Client::get(Resource resource, std::string namespace_name,
                                                 std::string name,
                                                 std::string_view resource_version,
                                                 const CallOptions& call_options) {
  Call call = impl_->make_call("get", "GET", call_options);
  Query query;
  query.add("resourceVersion", resource_version);
  direct(call, resource.id(), resource.path(namespace_name, name) + query.text(), namespace_name,
         name);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::create(Resource resource, std::string namespace_name,
                                                    std::string body, const WriteOptions& options,
                                                    const CallOptions& call_options) {
  Call call = impl_->make_call("create", "POST", call_options);
  direct(call, resource.id(), resource.path(namespace_name) + write_query(options).text(),
         namespace_name, {});
  call.body = std::move(body);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::create_sub(Resource resource,
                                                        std::string namespace_name,
                                                        std::string name, std::string subresource,
                                                        std::string body,
                                                        const CallOptions& call_options) {
  Call call = impl_->make_call("create", "POST", call_options);
  direct(call, resource.id() + "/" + subresource, resource.path(namespace_name, name, subresource),
         namespace_name, name);
  call.body = std::move(body);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::update(Resource resource, std::string namespace_name,
                                                    std::string name, std::string body,
                                                    const WriteOptions& options,
                                                    const CallOptions& call_options) {
  Call call = impl_->make_call("update", "PUT", call_options);
  direct(call, resource.id(),
         resource.path(namespace_name, name, options.subresource) + write_query(options).text(),
         namespace_name, name);
  call.body = std::move(body);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::patch(Resource resource, std::string namespace_name,
                                                   std::string name, PatchType type,
                                                   std::string body, const WriteOptions& options,
                                                   const CallOptions& call_options) {
  Call call = impl_->make_call("patch", "PATCH", call_options);
  direct(call, resource.id(),
         resource.path(namespace_name, name, options.subresource) + write_query(options).text(),
         namespace_name, name);
  call.content_type = media_type(type);
  if (options.answer_metadata) call.accept = kMetadataOnly;
  call.body = std::move(body);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::remove(Resource resource, std::string namespace_name,
                                                    std::string name, const DeleteOptions& options,
                                                    const CallOptions& call_options) {
  Call call = impl_->make_call("delete", "DELETE", call_options);
  direct(call, resource.id(), resource.path(namespace_name, name), namespace_name, name);
  call.body = delete_body(options);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::list(Resource resource, std::string namespace_name,
                                                  ListOptions options,
                                                  const CallOptions& call_options) {
  Call call = impl_->make_call("list", "GET", call_options);
  if (call_options.max_response_bytes == 0) call.max_response_bytes = kLargestList;
  direct(call, resource.id(), resource.path(namespace_name) + list_query(options).text(),
         namespace_name, {});
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::raw(std::string method, std::string path_and_query,
                                                 std::string body,
                                                 const CallOptions& call_options) {
  Call call = impl_->make_call("raw", std::move(method), call_options);
  call.what = call.method + " " + path_and_query;
  call.path = std::move(path_and_query);
  call.body = std::move(body);
  return body_of(impl_, std::move(call));
}

asio::awaitable<Result<std::unique_ptr<net::ResponseStream>>> Client::open_list(
    Resource resource, std::string namespace_name, ListOptions options) {
  Call call = impl_->make_call("list", "GET", CallOptions());
  direct(call, resource.id(), resource.path(namespace_name) + list_query(options).text(),
         namespace_name, {});
  if (options.protobuf) call.accept = kProtobufOrJson;
  call.stream = true;
  return stream_of(impl_, std::move(call));
}

asio::awaitable<Result<std::unique_ptr<net::ResponseStream>>> Client::open_watch(
    Resource resource, std::string namespace_name, WatchOptions options) {
  Call call = impl_->make_call("watch", "GET", CallOptions());
  if (options.timeout.count() > 0) call.timeout = options.timeout;
  direct(call, resource.id(), resource.path(namespace_name) + watch_query(options).text(),
         namespace_name, {});
  call.rate_limited = false;  // API-37
  if (options.protobuf) call.accept = kProtobufOrJson;
  call.stream = true;
  return stream_of(impl_, std::move(call));
}

}  // namespace ccm::kube
