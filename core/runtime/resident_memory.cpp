#include "runtime/resident_memory.hpp"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccm::runtime {

namespace {

// https://docs.kernel.org/admin-guide/mm/pagemap.html
constexpr uint64_t kPresent = 1ull << 63;
constexpr uint64_t kOfFile = 1ull << 61;  // not so a private copy

class FilePages {
 public:
  FilePages() : pagemap_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~FilePages() {
    if (pagemap_ >= 0) ::close(pagemap_);
  }
  FilePages(const FilePages&) = delete;
  FilePages& operator=(const FilePages&) = delete;

  // Of one segment; `begin` is a whole page's beginning.
  void unmap(uintptr_t begin, std::size_t pages) {
    entries_.resize(pages);
    const std::size_t wanted = pages * sizeof(uint64_t);
    const ssize_t got = ::pread(pagemap_, entries_.data(), wanted,
                                static_cast<off_t>(begin / size_ * sizeof(uint64_t)));
    if (got != static_cast<ssize_t>(wanted)) return;
    for (std::size_t page = 0; page < pages;) {
      std::size_t end = page;
      while (end < pages && (entries_[end] & kPresent) != 0 && (entries_[end] & kOfFile) != 0)
        ++end;
      if (end > page) {
        ::madvise(reinterpret_cast<void*>(begin + page * size_), (end - page) * size_,
                  MADV_DONTNEED);
      }
      page = end + 1;
    }
  }

  [[nodiscard]] uintptr_t size() const { return size_; }

 private:
  const uintptr_t size_ = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const int pagemap_;
  std::vector<uint64_t> entries_;
};

int unmap_segments(dl_phdr_info* object, std::size_t, void* data) {
  auto& pages = *static_cast<FilePages*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const uintptr_t first = (begin + pages.size() - 1) / pages.size();
    const uintptr_t end = (begin + segment.p_memsz) / pages.size();
    if (end > first) pages.unmap(first * pages.size(), end - first);
  }
  return 0;
}

}  // namespace

void return_unused_memory() {
  malloc_trim(0);
  FilePages pages;
  ::dl_iterate_phdr(&unmap_segments, &pages);
}

}  // namespace ccm::runtime
