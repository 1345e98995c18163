// A library as there are many, in several incompatible versions (SHELF_VERSION): state behind C
// functions, and the kinds of C++ objects that GCC makes unique in the whole process.
#pragma once

#include <string>
#include <vector>

extern "C" {
int shelf_version();
int shelf_count();  // how often it was called
}

namespace shelf {

// Other versions have another layout, so sharing one object would corrupt it.
struct State {
#if SHELF_VERSION == 2
  std::vector<std::string> names;
#endif
  int uses = 0;
};

inline State inline_state;

template <typename T>
struct Registry {
  static State state;
};
template <typename T>
State Registry<T>::state;

inline State& local_state() {
  static State state;
  return state;
}

inline thread_local int thread_uses = 0;

}  // namespace shelf
