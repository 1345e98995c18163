// Credentials of a client: files, and exec plugins that are shell scripts.
#pragma once

#include "kube/credentials.hpp"
#include "loop_fixture.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace ccm::kube {

class CredentialsTest : public KubeTest {
 protected:
  CredentialsTest() {
    config_.source = "the test";
    config_.server = "https://127.0.0.1:1";
    config_.ca_data = authority().certificate_pem;
    timing_.file_check = std::chrono::milliseconds(0);
  }
  static const test::Certificate& authority() {
    static const auto& made = *new test::Certificate(test::make_authority("authority"));
    return made;
  }
  static test::Certificate client_certificate(const std::string& name) {
    test::CertificateRequest request;
    request.common_name = name;
    return test::issue(authority(), request);
  }
  Status refresh(Credentials& credentials) {
    std::optional<Status> status;
    boost::asio::co_spawn(loop_, store_result(credentials.refresh(), &status),
                          [](std::exception_ptr) {});
    run_until([&] { return status.has_value(); });
    return status.value_or(Status(Code::internal, "late"));
  }
  // An exec plugin: a shell script. `body` prints the credential.
  void use_exec(const std::string& body, const std::string& version = "v1") {
    ExecConfig exec;
    exec.command =
        folder_.write("plugin", "#!/bin/sh\necho run >>" + folder_.path() + "/runs\n" + body, true);
    exec.api_version = "client.authentication.k8s.io/" + version;
    exec.interactive_mode = "Never";
    config_.exec = exec;
  }
  static std::string credential(const std::string& status, const std::string& version = "v1") {
    return "cat "
           "<<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/" +
           version + "\",\"status\":" + status + "}\nEND\n";
  }
  std::size_t runs() {
    const auto content = read_file(folder_.path() + "/runs");
    return content.ok() ? content->size() / 4 : 0;
  }
  static std::string escaped(const std::string& pem) {
    std::string out;
    for (const char c : pem) out += c == '\n' ? std::string("\\n") : std::string(1, c);
    return out;
  }

  TestFolder folder_;
  ClientConfig config_;
  CredentialTiming timing_;
};

}  // namespace ccm::kube
