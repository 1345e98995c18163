// Structs of the ABI begin with their size, and may come shorter or longer than this side knows
// them (ccm/abi/base.h, R-4 to R-8). Any thread.
#pragma once

#include <ccm/abi/base.h>

#include <cstddef>
#include <cstdint>

namespace ccm {

// A struct or table of the ABI with its size, and all else 0.
template <typename T>
constexpr T sized() {
  T made{};
  made.size = sizeof(T);
  return made;
}

// A copy of what this side knows of a struct of the other's; what that does not have is 0. Its size
// stays the one that the other side gave. Of NULL nothing is known.
template <typename T>
T known(const T* given) {
  T copy{};
  if (given != nullptr) ccm_copy_known(&copy, sizeof(T), given);
  return copy;
}

// Whether a request asks for nothing that this side does not know.
template <typename T>
bool only_known(const T* request, uint32_t known_flags = 0) {
  return ccm_only_known(request, sizeof(T), known_flags) != 0;
}

// The function of a table, or NULL when the table ends before it or leaves it out.
template <typename Table, typename Function>
Function function_of(const Table* table, Function Table::*member) {
  if (table == nullptr) return nullptr;
  const auto end = reinterpret_cast<std::uintptr_t>(&(table->*member)) + sizeof(Function);
  return end - reinterpret_cast<std::uintptr_t>(table) <= table->size ? table->*member : nullptr;
}

}  // namespace ccm
