#include "plugin/recording/http_recording.hpp"

#include "base/log.hpp"
#include "kube/time_text.hpp"
#include "net/url.hpp"
#include "plugin/host_services/http_access.hpp"

#include <ccm/base64.hpp>
#include <ccm/hexadecimal.hpp>
#include <ccm/lower_case.hpp>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace ccm::plugin {

using nlohmann::ordered_json;

namespace {

// In base64, wherever it begins among the three bytes of a group, without the characters that its
// neighbours have a share in.
std::vector<std::string> in_base64(std::string_view secret) {
  constexpr std::size_t kShortest = 6;  // less than this means nothing
  std::vector<std::string> forms;
  for (std::size_t before = 0; before < 3; ++before) {
    std::string padded(before, '\0');
    padded += secret;
    const std::string coded = base64_encode(padded);
    const std::size_t first = before == 0 ? 0 : before + 1;
    const std::size_t last = padded.size() * 8 / 6;
    if (last < first + kShortest) continue;
    forms.push_back(coded.substr(first, last - first));
    std::string of_urls = forms.back();
    std::replace(of_urls.begin(), of_urls.end(), '+', '-');
    std::replace(of_urls.begin(), of_urls.end(), '/', '_');
    if (of_urls != forms.back()) forms.push_back(std::move(of_urls));
  }
  return forms;
}

// One character of a text, decoded.
struct Decoded {
  std::string bytes;
  std::size_t length;  // bytes of its writing
};

std::string utf8_of(uint32_t code) {
  std::string bytes;
  if (code < 0x80) {
    bytes += static_cast<char>(code);
  } else if (code < 0x800) {
    bytes += static_cast<char>(0xC0U | (code >> 6U));
    bytes += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    bytes += static_cast<char>(0xE0U | (code >> 12U));
    bytes += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    bytes += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    bytes += static_cast<char>(0xF0U | ((code >> 18U) & 0x7U));
    bytes += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
    bytes += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    bytes += static_cast<char>(0x80U | (code & 0x3FU));
  }
  return bytes;
}

std::optional<uint32_t> number(std::string_view digits, int base) {
  uint32_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<Decoded> of_percent(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  const auto value = number(text.substr(1, 2), 16);
  if (!value) return std::nullopt;
  return Decoded{std::string(1, static_cast<char>(*value)), 3};
}

std::optional<Decoded> of_backslash(std::string_view text) {
  static constexpr std::array<std::pair<char, char>, 8> kShort{{{'"', '"'},
                                                                {'\\', '\\'},
                                                                {'/', '/'},
                                                                {'b', '\b'},
                                                                {'f', '\f'},
                                                                {'n', '\n'},
                                                                {'r', '\r'},
                                                                {'t', '\t'}}};
  if (text.size() < 2) return std::nullopt;
  for (const auto& [written, meant] : kShort) {
    if (text[1] == written) return Decoded{std::string(1, meant), 2};
  }
  if (text[1] != 'u' || text.size() < 6) return std::nullopt;
  auto value = number(text.substr(2, 4), 16);
  if (!value) return std::nullopt;
  const bool pair =
      *value >= 0xD800 && *value < 0xDC00 && text.size() >= 12 && text.substr(6, 2) == "\\u";
  if (!pair) return Decoded{utf8_of(*value), 6};
  const auto low = number(text.substr(8, 4), 16);
  if (!low || *low < 0xDC00 || *low >= 0xE000) return std::nullopt;
  return Decoded{utf8_of(0x10000 + ((*value - 0xD800) << 10U) + (*low - 0xDC00)), 12};
}

std::optional<Decoded> of_ampersand(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kNames{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  for (const auto& [name, meant] : kNames) {
    if (text.starts_with(name)) return Decoded{std::string(1, meant), name.size()};
  }
  constexpr std::size_t kLongest = 10;  // &#x10FFFF;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return std::nullopt;
  const bool hexadecimal = text[2] == 'x' || text[2] == 'X';
  const std::size_t first = hexadecimal ? 3 : 2;
  const auto value = number(text.substr(first, end - first), hexadecimal ? 16 : 10);
  if (!value || *value > 0x10FFFF) return std::nullopt;
  return Decoded{utf8_of(*value), end + 1};
}

std::optional<Decoded> decoded(std::string_view text) {
  switch (text.front()) {
    case '%':
      return of_percent(text);
    case '\\':
      return of_backslash(text);
    case '&':
      return of_ampersand(text);
    default:
      return std::nullopt;
  }
}

char upper_case(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same(char left, char right, bool any_case) {
  return left == right || (any_case && lower_case(left) == right);
}

bool begins_with(std::string_view text, std::string_view form, bool any_case) {
  if (text.size() < form.size()) return false;
  return std::equal(form.begin(), form.end(), text.begin(),
                    [any_case](char right, char left) { return same(left, right, any_case); });
}

// How many characters of `text` write `form`; 0 = they write something else.
std::size_t written_as(std::string_view text, std::string_view form, bool any_case) {
  if (begins_with(text, form, any_case)) return form.size();
  const std::size_t whole = text.size();
  while (!form.empty()) {
    if (text.empty()) return 0;
    const std::optional<Decoded> next = decoded(text);
    if (next && begins_with(next->bytes, form.substr(0, next->bytes.size()), any_case) &&
        next->bytes.size() <= form.size()) {
      form.remove_prefix(next->bytes.size());
      text.remove_prefix(next->length);
    } else if (same(text.front(), form.front(), any_case)) {
      form.remove_prefix(1);
      text.remove_prefix(1);
    } else {
      return 0;
    }
  }
  return whole - text.size();
}

bool begins_encoded(char c) { return c == '%' || c == '\\' || c == '&'; }

}  // namespace

SecretForms::SecretForms(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) add(secret);
}

void SecretForms::add_form(std::string text, bool any_case) {
  if (text.empty()) return;
  starts_[static_cast<unsigned char>(text.front())] = true;
  if (any_case) starts_[static_cast<unsigned char>(upper_case(text.front()))] = true;
  const auto place = std::find_if(forms_.begin(), forms_.end(),
                                  [&](const Form& form) { return form.text.size() < text.size(); });
  forms_.insert(place, Form{std::move(text), any_case});
}

void SecretForms::add(std::string_view secret) {
  constexpr std::size_t kShortest = 4;  // two digits of hexadecimal stand everywhere
  if (secret.empty() || std::ranges::find(secrets_, secret) != secrets_.end()) return;
  secrets_.emplace_back(secret);
  add_form(std::string(secret), false);
  if (secret.size() >= kShortest) add_form(hexadecimal(secret), true);
  for (std::string& form : in_base64(secret)) add_form(std::move(form), false);
}

std::size_t SecretForms::match(std::string_view text) const {
  const char first = text.front();
  if (!begins_encoded(first) && !starts_[static_cast<unsigned char>(first)]) return 0;
  for (const Form& form : forms_) {
    if (!begins_encoded(first) && !same(first, form.text.front(), form.any_case)) continue;
    const std::size_t length = written_as(text, form.text, form.any_case);
    if (length > 0) return length;
  }
  return 0;
}

std::string SecretForms::without(std::string_view text) const {
  if (forms_.empty()) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = match(text);
    if (length > 0) {
      out += kRedacted;
    } else {
      out += text.front();
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

namespace {

constexpr std::size_t kShortestSecret = 4;
constexpr std::string_view kPrivateKey = "PRIVATE KEY-----";

// Members of JSON: adminPass, private_key and all that a header might be called.
bool names_secret_member(const std::string& name) {
  const std::string lower = lower_case(name);
  return names_credential(lower) || lower == "adminpass" || lower == "passwd" ||
         lower == "private_key" || lower == "passphrase" || lower == "user_data";
}

template <typename Visit>
void each_text(ordered_json& value, bool secret, const Visit& visit) {
  if (value.is_string()) {
    visit(value.get_ref<std::string&>(), secret);
  } else if (value.is_array()) {
    for (ordered_json& item : value) each_text(item, secret, visit);
  } else if (value.is_object()) {
    // The name of an object says nothing of its members: {"token": {"expires_at": ...}}.
    for (auto item = value.begin(); item != value.end(); ++item) {
      each_text(item.value(), names_secret_member(item.key()), visit);
    }
  }
}

// Discarded when it is no JSON, or nests deeper than any answer of a cloud.
ordered_json parse_body(std::string_view body) {
  constexpr int kDeepest = 200;
  bool deep = false;
  const auto within = [&deep](int depth, ordered_json::parse_event_t, const ordered_json&) {
    deep = deep || depth > kDeepest;
    return depth <= kDeepest;
  };
  ordered_json value = ordered_json::parse(body, within, false);
  return deep ? ordered_json(ordered_json::value_t::discarded) : value;
}

// Calls back with name and value of each parameter of a query, and with what stands between them.
template <typename Parameter, typename Other>
void each_parameter(std::string_view query, const Parameter& parameter, const Other& other) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size());
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      other(pair);
    } else {
      parameter(pair.substr(0, equals), pair.substr(equals + 1));
    }
    if (query.empty()) return;
    other(query.substr(0, 1));
    query.remove_prefix(1);
  }
}

}  // namespace

void Redactor::learn(std::string_view secret) {
  if (secret.size() < kShortestSecret || secret == kRedacted) return;
  const std::lock_guard lock(mutex_);
  forms_.add(secret);
}

void Redactor::learn_headers(const std::vector<net::Header>& headers) {
  for (const net::Header& header : headers) {
    if (!names_credential(header.name)) continue;
    learn(header.value);
    for (const std::string& secret : secrets_of_header(header)) learn(secret);
  }
}

void Redactor::learn_body(std::string_view body) {
  ordered_json value = parse_body(body);
  if (value.is_discarded()) return;
  each_text(value, false, [this](const std::string& text, bool secret) {
    if (secret) learn(text);
  });
}

void Redactor::learn_from(const net::Request& request) {
  learn_headers(request.headers);
  const std::string_view url = request.url;
  const std::size_t question = url.find('?');
  if (question != std::string_view::npos) {
    each_parameter(
        url.substr(question + 1),
        [this](std::string_view name, std::string_view value) {
          if (!names_credential(name)) return;
          learn(value);
          learn(net::percent_decoded(value));
        },
        [](std::string_view) {});
  }
  learn_body(request.body);
}

void Redactor::learn_from(const net::Response& response) {
  learn_headers(response.headers);
  learn_body(response.body);
}

std::string Redactor::text(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  std::string out = forms_.without(text);
  return out.find(kPrivateKey) == std::string::npos ? out : std::string(kRedacted);
}

std::string Redactor::url(std::string_view url) const {
  url = url.substr(0, url.find('#'));
  const std::size_t question = url.find('?');
  std::string out(url.substr(0, question));
  const std::size_t scheme = out.find("://");
  if (scheme != std::string::npos) {
    const std::size_t end = std::min(out.find('/', scheme + 3), out.size());
    const std::size_t at = out.rfind('@', end);
    if (at != std::string::npos && at > scheme) out.erase(scheme + 3, at - scheme - 2);
  }
  if (question != std::string_view::npos) {
    out += '?';
    each_parameter(
        url.substr(question + 1),
        [&out](std::string_view name, std::string_view value) {
          out.append(name).append("=").append(names_credential(name) ? kRedacted : value);
        },
        [&out](std::string_view between) { out += between; });
  }
  return text(out);
}

std::string Redactor::header(std::string_view name, std::string_view value) const {
  return names_credential(name) ? std::string(kRedacted) : text(value);
}

std::string Redactor::body(std::string_view body) const {
  ordered_json value = parse_body(body);
  if (value.is_discarded() || !value.is_structured()) return text(body);
  bool changed = false;
  each_text(value, false, [&](std::string& member, bool secret) {
    std::string clean = secret && !member.empty() ? std::string(kRedacted) : text(member);
    changed = changed || clean != member;
    member = std::move(clean);
  });
  // As the cloud wrote it, where that is possible. The names of members are texts, too.
  return text(changed ? value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)
                      : std::string(body));
}

namespace {

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
