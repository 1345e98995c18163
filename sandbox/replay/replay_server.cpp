#include "replay/replay_server.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sandbox::replay {
namespace {

Recording read_recording(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) throw std::runtime_error("cannot read " + file);
  try {
    return Recording(lines);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Headers of the connection, which this server sets by itself.
bool of_connection(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames{
      "content-length", "transfer-encoding", "connection", "keep-alive", "content-type"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

ReplayServer::ReplayServer(const std::string& file) : recording_(read_recording(file)) {}

std::string ReplayServer::here(std::string text) const {
  text = recording_.as_asked(std::move(text));
  for (const std::string& origin : recording_.origins()) {
    for (std::size_t at = text.find(origin); at != std::string::npos;
         at = text.find(origin, at + url_.size())) {
      text.replace(at, origin.size(), url_);
    }
  }
  return text;
}

http::Reply ReplayServer::handle(http::Request& request) {
  http::Reply reply;
  const Exchange* exchange = recording_.answer(request.method, request.target, request.body);
  if (exchange == nullptr) {
    std::cerr << "not in the recording: " << request.method << ' ' << request.target << std::endl;
    reply.response.status = 404;
    reply.response.body =
        R"({"id":"not_recorded","message":"this request is not in the recording"})";
    return reply;
  }
  if (!exchange->answered) {
    reply.cut = true;
    return reply;
  }
  reply.response.status = exchange->status;
  reply.response.body = here(exchange->body);
  for (const auto& [name, value] : exchange->headers) {
    if (lower(name) == "content-type") reply.response.content_type = value;
    if (!of_connection(lower(name))) reply.response.headers.emplace_back(name, here(value));
  }
  return reply;
}

}  // namespace sandbox::replay
