// A plugin in a fake host and a real cloud: its HTTP requests go over the network, its secrets come
// from the environment. Blocking; any thread.
#pragma once

#include <ccm/testing/fake_http.hpp>
#include <ccm/testing/fake_services.hpp>

namespace ccm::ctl {

// As the host would, by a client with these options, but without repeating it.
testing::FakeHttp::Answer send_to_cloud(const HttpRequest& request,
                                        const HttpClientOptions& options);

// The secrets that the host would find: the file that NAME_FILE names, else the variable NAME.
void take_secrets(testing::FakeConfig& config);

}  // namespace ccm::ctl
