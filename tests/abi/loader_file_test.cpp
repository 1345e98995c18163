// Faults of the file itself: what it is, whose it is, and whether all of it is there.
#include "plugin_files/file_checks.hpp"
#include "plugin_files/loader.hpp"
#include "plugin_files/plugin_file.hpp"
#include "plugin_files/registry.hpp"
#include "plugin_folder.hpp"
#include "support/command.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <functional>

namespace ccm::plugin_host {
namespace {

namespace fs = std::filesystem;
using test::PluginFolder;
using testing::HasSubstr;

void expect_refusal(const fs::path& path, Code code, const std::string& what,
                    plugin_files::CheckOptions options = {}) {
  plugin_files::Loader loader(std::move(options));
  const auto result = loader.load(path);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), code) << result.status().message();
  EXPECT_THAT(result.status().message(), HasSubstr("plugin " + path.string() + ": "));
  EXPECT_THAT(result.status().message(), HasSubstr(what));
  EXPECT_THAT(result.status().message(), HasSubstr("; "));
  EXPECT_TRUE(loader.loaded().empty());
  EXPECT_FALSE(test::is_mapped(path));
}

// Overwrites the byte at `offset`.
void patch(const fs::path& path, std::streamoff offset, char value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file.put(value);
  ASSERT_TRUE(file.good());
}

TEST(LoaderFile, RefusesAMissingFile) {
  const PluginFolder folder;
  expect_refusal(folder.path() / "providers/absent.so", Code::not_found, "does not exist");
  expect_refusal(folder.path() / "nowhere/absent.so", Code::not_found, "does not exist");
}

TEST(LoaderFile, RefusesARelativePath) {
  expect_refusal("good.so", Code::invalid_argument, "is not an absolute path; begin it with /");
}

TEST(LoaderFile, RefusesAFolder) {
  const PluginFolder folder;
  expect_refusal(folder.path() / "providers", Code::invalid_argument, "is a folder");
}

TEST(LoaderFile, RefusesASymbolicLink) {
  const PluginFolder folder;
  const auto link = folder.path() / "providers/link.so";
  fs::create_symlink(folder.add("good"), link);
  expect_refusal(link, Code::invalid_argument, "is a symbolic link; name the file");
}

TEST(LoaderFile, RefusesAFifoWithoutWaiting) {
  const PluginFolder folder;
  const auto fifo = folder.path() / "providers/fifo.so";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_refusal(fifo, Code::invalid_argument, "is not a regular file");
}

TEST(LoaderFile, RefusesAnEmptyFile) {
  const PluginFolder folder;
  const auto path = folder.path() / "providers/empty.so";
  std::ofstream(path).close();
  expect_refusal(path, Code::invalid_argument, "is empty");
}

TEST(LoaderFile, RefusesWhatIsNoElfFile) {
  const PluginFolder folder;
  const auto path = folder.path() / "providers/text.so";
  std::ofstream(path) << "#!/bin/sh\nexit 0\n";
  fs::permissions(path, fs::perms(0755));
  expect_refusal(path, Code::invalid_argument, "is not an ELF file");
}

TEST(LoaderFile, RefusesAProgram) {
  const PluginFolder folder;
  const auto path = folder.path() / "providers/program.so";
  fs::copy_file("/proc/self/exe", path);
  fs::permissions(path, fs::perms(0755));
  expect_refusal(path, Code::invalid_argument, "is a program or object file");
}

TEST(LoaderFile, RefusesAnotherMachine) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto other = plugin_files::host_machine() == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  patch(path, offsetof(Elf64_Ehdr, e_machine), static_cast<char>(other & 0xFF));
  patch(path, offsetof(Elf64_Ehdr, e_machine) + 1, static_cast<char>(other >> 8));
  expect_refusal(path, Code::invalid_argument,
                 "is built for " + std::string(plugin_files::machine_name(other)) +
                     ", this host is " +
                     std::string(plugin_files::machine_name(plugin_files::host_machine())));
}

TEST(LoaderFile, RefusesA32BitFile) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  patch(path, EI_CLASS, ELFCLASS32);
  expect_refusal(path, Code::invalid_argument, "is a 32-bit file, this host is 64-bit");
}

TEST(LoaderFile, RefusesAFileThatIsCutOff) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  // The end of the file holds section headers that nobody needs at run time: the middle is missing.
  fs::resize_file(path, fs::file_size(path) / 2);
  expect_refusal(path, Code::invalid_argument, "is cut off");
  fs::resize_file(path, 100);
  expect_refusal(path, Code::invalid_argument, "ends before its program headers");
  fs::resize_file(path, 20);
  expect_refusal(path, Code::invalid_argument, "ends within its ELF header");
}

TEST(LoaderFile, RefusesAFileThatOthersCanWrite) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  fs::permissions(path, fs::perms(0757));
  expect_refusal(path, Code::permission_denied, "(mode 0757); run chmod go-w " + path.string());
  fs::permissions(path, fs::perms(0775));
  expect_refusal(path, Code::permission_denied, "can be written by others than its owner");
}

TEST(LoaderFile, RefusesAFileOfSomebodyElse) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  plugin_files::CheckOptions options;
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 1234, 0), 0);
    expect_refusal(path, Code::permission_denied, "belongs to user 1234, not to root or root");
  } else {
    options.uid = ::geteuid() + 1;
    expect_refusal(path, Code::permission_denied, "belongs to user " + std::to_string(::geteuid()),
                   options);
  }
}

TEST(LoaderFile, RefusesAFolderThatOthersCanWrite) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  fs::permissions(folder.path(), fs::perms(0777));
  expect_refusal(path, Code::permission_denied,
                 "lies in " + folder.path().string() + ", to which others can write (mode 0777)");
  fs::permissions(folder.path(), fs::perms(0700));
  fs::permissions(path.parent_path(), fs::perms(0770));
  expect_refusal(path, Code::permission_denied, "run chmod go-w " + path.parent_path().string());
}

TEST(LoaderFile, AStickyFolderMayStandAboveButMayNotHoldThePlugin) {
  if (::geteuid() == 0) {
    const PluginFolder folder;
    const auto path = folder.add("good");
    fs::permissions(folder.path(), fs::perms(01777));
    EXPECT_TRUE(plugin_files::unsafe_folders(path, 0).empty());
    fs::permissions(path.parent_path(), fs::perms(01777));
    expect_refusal(path, Code::permission_denied, "move it into a folder of its own");
  } else {
    // /tmp of a machine is root's own.
    EXPECT_EQ(plugin_files::unsafe_folders("/tmp/plugin.so", ::geteuid()).size(), 1U);
  }
}

TEST(LoaderFile, ThePinnedDigestMustBeTheFiles) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  plugin_files::CheckOptions options;
  ASSERT_TRUE(options.pins.add("test.good=" + std::string(64, '0')).ok());
  expect_refusal(path, Code::permission_denied,
                 "pinned for test.good is " + std::string(64, '0') +
                     "; install the file that was pinned, or pin this one",
                 options);
  const auto opened = plugin_files::OpenFile::open(path);
  ASSERT_TRUE(opened.ok());
  const auto file = plugin_files::PluginFile::map(**opened);
  ASSERT_TRUE(file.ok());
  std::string upper = plugin_files::sha256_hex(file->bytes());
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  ASSERT_TRUE(options.pins.add("test.good=" + upper).ok()) << "several sums, in any case";
  const auto loaded = plugin_files::Loader(options).load(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
}

// Else a file with another id, which names the same controllers, would take a pinned one's place.
TEST(LoaderFile, WithOnePinAPluginWithoutIsRefused) {
  const PluginFolder folder;
  plugin_files::CheckOptions options;
  ASSERT_TRUE(options.pins.add("test.other=" + std::string(64, '0')).ok());
  expect_refusal(
      folder.add("good"), Code::permission_denied,
      "is not pinned, and others are; to allow it give --plugin-sha256=test.good=", options);
}

// The checked file is the one that runs, also when a package manager or an attacker is quicker.
TEST(LoaderFile, WhatWasCheckedIsLoadedWhateverLiesAtItsPathByNow) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  plugin_files::Loader loader;
  const plugin_files::Examination checked = loader.examine(plugin_files::examine(path, {}));
  fs::rename(folder.add("exits"), path);  // its constructor ends the process
  const auto loaded = loader.load(checked);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->manifest.id, "test.good");
  EXPECT_EQ(std::string(view(loaded->plugin->manifest)), checked.note);
}

// A debugger that starts the host opens the path that ld.so is given, before the image has its
// name: "/proc/self/fd/3" would be the debugger's own, a pipe, on which it would wait for ever.
TEST(LoaderFile, ThePathOfADescriptorIsTheSameFileInOtherProcesses) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto file = plugin_files::OpenFile::open(path);
  ASSERT_TRUE(file.ok());
  const support::CommandOutcome outcome = support::run_command("readlink " + (*file)->own_path());
  EXPECT_EQ(outcome.output, path.string() + "\n");
}

// Debuggers, sanitizers and /proc/self/maps show the file, not a number of a descriptor; and a
// second file whose descriptor might get that number is not taken for the first.
TEST(LoaderFile, ALoadedImageHasItsFilesName) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto other = folder.add("rival");
  plugin_files::Loader loader;
  const auto first = loader.load(path);
  ASSERT_TRUE(first.ok()) << first.status().message();
  Dl_info info{};
  ASSERT_NE(::dladdr(first->plugin, &info), 0);
  EXPECT_STREQ(info.dli_fname, path.c_str());
  EXPECT_TRUE(test::is_mapped(path));
  plugin_files::Loader another;
  const auto second = another.load(other);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_NE(second->plugin, first->plugin);
  ASSERT_NE(::dladdr(second->plugin, &info), 0);
  EXPECT_STREQ(info.dli_fname, other.c_str());
}

// Runs `passes` where nothing is mounted at /proc; skips the test where that is not allowed.
void without_proc(const std::function<bool()>& passes) {
  constexpr int kNotAllowed = 77;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        ::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) {
      ::_exit(kNotAllowed);
    }
    ::_exit(passes() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "no namespaces of one's own here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(LoaderFile, Issue42_11WithoutProcItIsLoadedByItsPath) {
  const PluginFolder folder;
  plugin_files::Loader loader;
  const plugin_files::Examination checked =
      loader.examine(plugin_files::examine(folder.add("good"), {}));
  without_proc([&] { return loader.load(checked).ok(); });
}

TEST(LoaderFile, Issue42_11WithoutProcAFileThatTookItsPathIsRefused) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto other = folder.add("good", "providers/other.so");
  plugin_files::Loader loader;
  const plugin_files::Examination checked = loader.examine(plugin_files::examine(path, {}));
  fs::rename(other, path);
  without_proc([&] {
    return loader.load(checked).status().message().find("was replaced while") != std::string::npos;
  });
}

TEST(LoaderFile, Issue42_11WithoutProcThePluginsAreThoseBesideTheProgram) {
  const fs::path expected = plugin_files::default_plugin_folder();
  without_proc([&] { return plugin_files::default_plugin_folder() == expected; });
}

TEST(LoaderFile, Sha256IsTheStandards) {
  const std::string_view abc = "abc";
  EXPECT_EQ(plugin_files::sha256_hex(std::as_bytes(std::span(abc))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ccm::plugin_host
