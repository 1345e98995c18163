#include "plugin/recording/http_recording.hpp"

#include "base/log.hpp"
#include "kube/time_text.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace ccm::plugin {
namespace {

using nlohmann::ordered_json;

ordered_json headers_of(const std::vector<net::Header>& headers, const Redactor& redactor) {
  ordered_json list = ordered_json::array();
  for (const net::Header& header : headers) {
    list.push_back({header.name, redactor.header(header.name, header.value)});
  }
  return list;
}

std::string line_of(const RecordedExchange& exchange, const Redactor& redactor) {
  const net::Request& request = exchange.request;
  ordered_json line;
  line["time"] = kube::format_time(std::chrono::system_clock::now());
  line["component"] = exchange.component;
  line["operation"] = exchange.operation;
  line["milliseconds"] =
      std::chrono::duration_cast<std::chrono::milliseconds>(exchange.duration).count();
  line["request"]["method"] = request.method;
  line["request"]["url"] = redactor.url(request.url);
  line["request"]["headers"] = headers_of(request.headers, redactor);
  line["request"]["body"] = redactor.body(request.body);
  if (exchange.response.ok()) {
    line["response"]["status"] = exchange.response->status;
    line["response"]["headers"] = headers_of(exchange.response->headers, redactor);
    line["response"]["body"] = redactor.body(exchange.response->body);
  } else {
    line["error"] = redactor.text(exchange.response.status().message());
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// Why the open file is not this process's alone; empty = it is. Somebody who may read it now may
// have it open, and goes on reading when that is forbidden.
std::string unfit(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if (status.st_uid != ::geteuid()) {
    return "it belongs to another user (uid " + std::to_string(status.st_uid) +
           "); remove it first";
  }
  if (status.st_nlink > 1) return "it has a second name (a hard link); remove it first";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return "others may read or write it; remove it first";
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<HttpRecording>> HttpRecording::open(const std::string& path,
                                                           std::size_t limit) {
  const auto failure = [&path](const std::string& why) {
    return Status(Code::failed_precondition, "--record: cannot write " + path + ": " + why);
  };
  // Not through a link: another user's, in a folder that all may write, would choose the file.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                          S_IRUSR | S_IWUSR);
  if (file < 0) return failure(std::strerror(errno));
  std::string wrong = unfit(file);
  if (wrong.empty() && ::ftruncate(file, 0) != 0) wrong = std::strerror(errno);
  if (!wrong.empty()) {
    ::close(file);
    return failure(wrong);
  }
  return std::shared_ptr<HttpRecording>(new HttpRecording(file, path, limit));
}

HttpRecording::HttpRecording(int file, std::string path, std::size_t limit)
    : file_(file), path_(std::move(path)), limit_(limit) {}

HttpRecording::~HttpRecording() {
  if (file_ >= 0) ::close(file_);
}

void HttpRecording::end(const char* why) {
  // Half a line would be no JSON.
  if (::ftruncate(file_, static_cast<off_t>(written_)) != 0) why = std::strerror(errno);
  ::close(std::exchange(file_, -1));
  log::warning("Recording of HTTP exchanges ended", {{"file", path_}, {"reason", why}});
}

void HttpRecording::add(const RecordedExchange& exchange) {
  redactor_.learn_from(exchange.request);
  if (exchange.response.ok()) redactor_.learn_from(*exchange.response);
  for (const std::string& secret : exchange.secrets) redactor_.learn(secret);
  const std::lock_guard lock(mutex_);
  if (file_ < 0) return;
  const std::string line = line_of(exchange, redactor_);
  if (written_ + line.size() > limit_) return end("it has reached its largest size");
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = ::write(file_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return end(count == 0 ? "nothing was written" : std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
  written_ += line.size();
}

}  // namespace ccm::plugin
