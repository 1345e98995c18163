// --record: no credential is in the file, wherever it was and however it was written.
#include "plugin/recording/http_recording.hpp"

#include <ccm/percent_encode.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace ccm::plugin {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class HttpRecordingTest : public testing::Test {
 protected:
  HttpRecordingTest() {
    std::string name = (fs::temp_directory_path() / "ccm-record-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~HttpRecordingTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return (folder_ / "exchanges.jsonl").string(); }
  [[nodiscard]] std::string written() const {
    std::ifstream in(file());
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  [[nodiscard]] std::vector<json> lines() const {
    std::vector<json> all;
    std::ifstream in(file());
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }
  static void add(HttpRecording& recording, const net::Request& request,
                  const Result<net::Response>& response,
                  const std::vector<std::string>& secrets = {}) {
    recording.add(
        {"digitalocean", "List", request, response, std::chrono::milliseconds(5), secrets});
  }
  static net::Request get(std::string url, std::vector<net::Header> headers = {}) {
    net::Request request;
    request.url = std::move(url);
    request.headers = std::move(headers);
    return request;
  }
  static net::Response answer(std::string body, std::vector<net::Header> headers = {}) {
    return {200, std::move(headers), std::move(body)};
  }

  fs::path folder_;
};

std::string base64(const std::string& text) {
  std::string coded((text.size() + 2) / 3 * 4 + 1, '\0');
  coded.resize(static_cast<std::size_t>(EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(coded.data()),
      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()))));
  return coded;
}

// Letters, digits and what the encodings treat in their own ways.
std::string random_secret(std::mt19937& random) {
  static const std::string kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=-_.~%&\"\\ <>#'\xc3\xa9";
  std::string secret;
  const std::size_t size = 6 + random() % 40;
  while (secret.size() < size) {
    const char c = kCharacters[random() % (kCharacters.size() - 2)];
    secret += c;
    if (random() % 16 == 0) secret += "\xc3\xa9";
  }
  // As a credential is written: without spaces at its ends.
  return 'x' + secret + 'x';
}

std::string percent_lower(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    text[at + 1] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[at + 1])));
    text[at + 2] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[at + 2])));
  }
  return text;
}

std::string hexadecimal(const std::string& text, bool upper) {
  std::string digits;
  for (const char c : text) {
    char pair[3];
    std::snprintf(pair, sizeof pair, upper ? "%02X" : "%02x", static_cast<unsigned char>(c));
    digits += pair;
  }
  return digits;
}

// Some characters as a server may write them that knows no others' rules: half of them, at random.
std::string here_and_there(const std::string& text, const char* format, std::mt19937& random) {
  std::string written;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool special = c == '%' || c == '\\' || c == '&';
    char coded[16];
    std::snprintf(coded, sizeof coded, format, byte);
    written +=
        byte < 0x80 && (special || random() % 2 == 0) ? std::string(coded) : std::string(1, c);
  }
  return written;
}

// A body in which the secret stands under a harmless name, as a cloud repeats what it was sent.
std::string echo(const std::string& secret, std::mt19937& random) {
  const std::string text = "before " + secret + " after";
  switch (random() % 10) {
    case 6:
      return "key " + hexadecimal("p" + secret, random() % 2 == 0);
    case 7:
      return "url " + here_and_there(secret, random() % 2 == 0 ? "%%%02X" : "%%%02x", random);
    case 8:
      return "not quite json \"" + here_and_there(secret, "\\u%04x", random) + "\"";
    case 9:
      return "<p>" + here_and_there(secret, "&#%u;", random) + "</p>";
    case 0:
      return json{{"message", text}}.dump();
    case 1:
      return json{{"errors", json::array({{{"detail", text}}})}}.dump(2, ' ', true);
    case 2:
      return "<html>" + text + "</html>";
    case 3:
      return "a=1&b=" + percent_encode(secret) + "&c=" + percent_lower(percent_encode(secret));
    case 4:
      return json{{"blob", base64(std::string(random() % 3, 'p') + secret)}}.dump();
    default:
      return json{{text, 1}}.dump();
  }
}

bool shows(const std::string& text, const std::string& secret) {
  const std::string quoted = json(secret).dump();
  const std::string ascii = json(secret).dump(-1, ' ', true);
  const std::string percent = percent_encode(secret);
  for (const std::string& form :
       {secret, quoted.substr(1, quoted.size() - 2), ascii.substr(1, ascii.size() - 2), percent,
        percent_lower(percent), base64(secret), hexadecimal(secret, false),
        hexadecimal(secret, true)}) {
    if (text.find(form) != std::string::npos) return true;
  }
  return false;
}

TEST_F(HttpRecordingTest, NoSecretIsInTheFileWhereverItStood) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::string> secrets;
    for (int i = 0; i < 7; ++i) secrets.push_back(random_secret(random));
    auto opened = HttpRecording::open(file());
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    HttpRecording& recording = **opened;
    recording.learn_secret(secrets[0]);
    // A header with a scheme has no space in its credential.
    std::string bearer = secrets[1];
    std::replace(bearer.begin(), bearer.end(), ' ', '_');
    secrets[1] = bearer;
    net::Request request = get("https://user:" + percent_encode(secrets[0]) +
                                   "@api.example.com/v2/x?token=" + percent_encode(secrets[2]) +
                                   "&page=2#" + percent_encode(secrets[0]),
                               {{"Authorization", "Bearer " + bearer},
                                {"Proxy-Authorization", "Basic " + base64("me:" + secrets[3])},
                                {"X-Auth-Token", secrets[4]},
                                {"X-Note", "sent " + secrets[0]}});
    request.method = "POST";
    request.body = json{{"auth", {{"password", secrets[5]}, {"name", "me"}}}}.dump();
    // The server repeats all of them, and tells one of its own.
    add(recording, request,
        answer(json{{"access_token", secrets[6]}}.dump(),
               {{"X-Subject-Token", secrets[6]}, {"Set-Cookie", "s=" + secrets[4]}}));
    for (const std::string& secret : secrets) {
      add(recording, get("https://api.example.com/v2/y"), answer(echo(secret, random)));
    }
    // Named by the plugin for this request only.
    const std::string named = random_secret(random);
    secrets.push_back(named);
    add(recording, get("https://api.example.com/v2/z"), answer(echo(named, random)), {named});
    add(recording, get("https://api.example.com/v2/z"),
        Status(Code::unavailable, "GET https://api.example.com/?t=" + named + ": reset"));
    opened = Status(Code::cancelled, "closed");
    const std::string text = written();
    for (const std::string& secret : secrets) {
      EXPECT_FALSE(shows(text, secret)) << secret << "\n" << text;
    }
    const auto all = lines();
    ASSERT_EQ(all.size(), secrets.size() + 2);
    EXPECT_EQ(all[0]["request"]["url"], "https://api.example.com/v2/x?token=[redacted]&page=2");
  }
}

TEST_F(HttpRecordingTest, TheRestIsAsItWas) {
  auto recording = HttpRecording::open(file());
  ASSERT_TRUE(recording.ok());
  const std::string body = "{ \"id\" : 1.10, \"name\":\"web\", \"big\": 12345678901234567890 }";
  add(**recording, get("https://api.example.com/v2/droplets?page=1", {{"Accept", "text/plain"}}),
      answer(body, {{"ratelimit-remaining", "7"}}));
  const json line = lines().at(0);
  EXPECT_EQ(line["response"]["body"], body);
  EXPECT_EQ(line["response"]["status"], 200);
  EXPECT_EQ(line["response"]["headers"], json::parse(R"([["ratelimit-remaining","7"]])"));
  EXPECT_EQ(line["request"]["method"], "GET");
  EXPECT_EQ(line["request"]["url"], "https://api.example.com/v2/droplets?page=1");
  EXPECT_EQ(line["component"], "digitalocean");
  EXPECT_EQ(line["operation"], "List");
  EXPECT_EQ(line["milliseconds"], 5);
}

TEST_F(HttpRecordingTest, APrivateKeyIsNotWritten) {
  auto recording = HttpRecording::open(file());
  const std::string pem =
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n";
  add(**recording, get("https://a/"), answer(json{{"payload", pem}}.dump()));
  add(**recording, get("https://a/"), answer(pem));
  EXPECT_EQ(written().find("MIIEvQ"), std::string::npos);
}

TEST_F(HttpRecordingTest, BytesThatAreNoTextAreNoFault) {
  auto recording = HttpRecording::open(file());
  add(**recording, get("https://a/"), answer("\xff\xfe{\"token\": \"abcdefgh\"}"));
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(HttpRecordingTest, OnlyItsOwnerReadsTheFile) {
  std::ofstream(file()) << "left from before\n";
  fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  auto recording = HttpRecording::open(file());
  ASSERT_TRUE(recording.ok());
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(written(), "");
}

// Somebody else's, in a folder that all may write; or one that somebody has open already.
TEST_F(HttpRecordingTest, Issue37_12_AFileThatIsNotThisUsersAloneIsLeftAsItIs) {
  const auto refusal = [this] {
    const auto opened = HttpRecording::open(file());
    EXPECT_EQ(written(), "precious\n");
    const std::string start = "--record: cannot write " + file() + ": ";
    const std::string text = opened.status().message();
    return text.starts_with(start) ? text.substr(start.size()) : "not refused: " + text;
  };
  std::ofstream(file()) << "precious\n";
  fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(refusal(), "others may read or write it; remove it first");
  fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_hard_link(file(), folder_ / "second");
  EXPECT_EQ(refusal(), "it has a second name (a hard link); remove it first");
  fs::remove(folder_ / "second");
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives a file away";
  ASSERT_EQ(::chown(file().c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal(), "it belongs to another user (uid 65534); remove it first");
}

TEST_F(HttpRecordingTest, AFileThatCannotBeWrittenIsOneLine) {
  fs::create_symlink(folder_ / "elsewhere", file());
  EXPECT_FALSE(HttpRecording::open(file()).ok()) << "a link";
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
  const auto missing = HttpRecording::open((folder_ / "none" / "x").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().message(), "--record: cannot write " +
                                            (folder_ / "none" / "x").string() +
                                            ": No such file or directory");
  EXPECT_FALSE(HttpRecording::open("/dev/null").ok()) << "no file";
}

TEST_F(HttpRecordingTest, TheSizeIsBoundedInWholeLines) {
  auto recording = HttpRecording::open(file(), 4'000);
  for (int i = 0; i < 100; ++i) {
    add(**recording, get("https://api.example.com/" + std::to_string(i)), answer("{}"));
  }
  EXPECT_LE(fs::file_size(file()), 4'000u);
  EXPECT_GT(lines().size(), 5u) << "each of them is whole";
}

}  // namespace
}  // namespace ccm::plugin
