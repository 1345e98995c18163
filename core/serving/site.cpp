#include "serving/site.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

#include <exception>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;

namespace {

Answer shown(const Site::Page& page, const Request& request) {
  try {
    return page(request);
  } catch (const std::exception& fault) {
    log::error("A page failed",
               {{"path", utf8_front(request.path, kShownInLog)}, {"err", fault.what()}});
    return Answer{500, "this page failed; the log says why\n"};
  }
}

}  // namespace

void Site::add_with_parts(std::string path, Page page) {
  trees_[path + "/"] = page;
  exact_[std::move(path)] = std::move(page);
}

const Site::Page* Site::find(const std::string& path) const {
  if (const auto found = exact_.find(path); found != exact_.end()) return &found->second;
  for (const auto& [prefix, page] : trees_) {
    if (path.starts_with(prefix) && path.size() > prefix.size()) return &page;
  }
  return nullptr;
}

asio::awaitable<Answer> Site::answer(std::shared_ptr<Request> request) {
  request->split_target();
  if (access_) {
    std::optional<Answer> refusal = co_await access_->admit(request);
    if (refusal) co_return std::move(*refusal);
  }
  const Page* page = find(request->path);
  if (page == nullptr) co_return Answer{404, "404 page not found\n"};
  co_return shown(*page, *request);
}

std::vector<std::string> Site::paths() const {
  std::vector<std::string> result;
  result.reserve(exact_.size());
  for (const auto& [path, page] : exact_) result.push_back(path);
  return result;
}

std::optional<Answer> only_reads(const Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  return Answer{405, "method not allowed\n", "GET, HEAD"};
}

}  // namespace ccm::serving
