// Runs files through a fuzz target without a fuzzer: `fuzz_replay TARGET FILE|FOLDER...`.
// A folder means the files in it; one that does not exist holds none. Exit code 2 when no file was
// found: a test that runs nothing must not pass.
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

namespace {

namespace fs = std::filesystem;

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

constexpr auto kTargets = std::to_array<Target>({
#define CCM_FUZZ_ROW(name) {#name, &ccm::fuzz::name##_target},
    CCM_FUZZ_ROWS
#undef CCM_FUZZ_ROW
});

void collect(const fs::path& path, std::vector<fs::path>& files) {
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  } else if (fs::exists(path)) {
    files.push_back(path);
  }
}

}  // namespace

int main(int count, char** values) {
  const std::span<char*> arguments(values, static_cast<std::size_t>(count));
  const auto target =
      std::find_if(kTargets.begin(), kTargets.end(), [&arguments](const Target& candidate) {
        return arguments.size() > 1 && candidate.name == arguments[1];
      });
  if (target == kTargets.end()) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FILE|FOLDER...; targets:");
    for (const Target& candidate : kTargets) {
      std::fprintf(stderr, " %s", std::string(candidate.name).c_str());
    }
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::vector<fs::path> files;
  for (const char* path : arguments.subspan(2)) collect(path, files);
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());  // the last line names what broke
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    target->run(ccm::fuzz::Exact(bytes).view());
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 2 : 0;
}
