// What is answered about the collections of an account (DO-320..DO-361).
#pragma once

#include "account.hpp"
#include "answers.hpp"

#include <string>

namespace ccm::digitalocean_api {

ApiAnswer answer_droplets(Account& account, const std::string& method, const Route& route);
ApiAnswer answer_load_balancers(Account& account, const std::string& method, const Route& route);
ApiAnswer answer_firewalls(Account& account, const std::string& method, const Route& route);
ApiAnswer answer_tags(Account& account, const std::string& method, const Route& route);

}  // namespace ccm::digitalocean_api
