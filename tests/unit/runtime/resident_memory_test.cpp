#include "runtime/resident_memory.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace ccm::runtime {
namespace {

constexpr std::size_t kPage = 4096;

// Of files, in kB.
long resident() {
  std::ifstream rollup("/proc/self/smaps_rollup");  // /proc/self/status counts late
  std::string word;
  long size = 0;
  long clean = 0;
  while (rollup >> word) {
    if (word == "Shared_Clean:" || word == "Private_Clean:") clean += (rollup >> size, size);
  }
  return clean;
}

// Reads a byte of every page of the program's own code.
int touch_program(dl_phdr_info* object, std::size_t, void*) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto* byte = reinterpret_cast<const volatile char*>(object->dlpi_addr + segment.p_vaddr);
    for (std::size_t at = 0; at < segment.p_memsz; at += kPage) (void)byte[at];
  }
  return 1;  // the program is the first of all
}

TEST(ResidentMemory, PagesOfFilesAreGivenBackAndComeBack) {
  ::dl_iterate_phdr(&touch_program, nullptr);
  const long before = resident();
  return_unused_memory();
  EXPECT_LT(resident(), before / 2);
  ::dl_iterate_phdr(&touch_program, nullptr);
}

alignas(2 * kPage) const char constants[3 * kPage] = {1};

TEST(ResidentMemory, APageThatADebuggerWroteToStays) {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(kPage)) GTEST_SKIP() << "other page size";
  char* page = const_cast<char*>(&constants[kPage]);
  ASSERT_EQ(::mprotect(page, kPage, PROT_READ | PROT_WRITE), 0);
  page[7] = 42;
  ASSERT_EQ(::mprotect(page, kPage, PROT_READ), 0);
  return_unused_memory();
  EXPECT_EQ(static_cast<const volatile char*>(page)[7], 42);
}

}  // namespace
}  // namespace ccm::runtime
