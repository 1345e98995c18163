#pragma once

#include "http/message.hpp"
#include "replay/recording.hpp"

#include <string>

namespace sandbox::replay {

// Answers a provider as the cloud did while it was recorded. Loop thread.
class ReplayServer : public http::Handler {
 public:
  // Throws std::runtime_error with a message for the user.
  explicit ReplayServer(const std::string& file);

  // The recorded addresses of the cloud become this one in all answers, so that a catalogue of
  // endpoints leads here. Ids of the recorded cluster become those of the cluster that asks.
  void set_url(std::string url) { url_ = std::move(url); }
  std::size_t exchanges() const { return recording_.size(); }

  http::Reply handle(http::Request& request) override;

 private:
  std::string here(std::string text) const;

  Recording recording_;
  std::string url_;
};

}  // namespace sandbox::replay
