// timeline/check/plain_file.cpp: unpacks gzip files.
#include "timeline/check/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace perseid {
namespace {

constexpr unsigned kBlockBytes = 1 << 18;
/// Timelines shrink to a 5th to a 40th. gzip could make a thousandth of zeros, and a few megabytes
/// would fill the disk.
constexpr uint64_t kMaxRatio = 200;
constexpr uint64_t kAlwaysBytes = uint64_t{64} << 20;

bool is_gzip(const File& file) {
  unsigned char start[2] = {};
  return file.read_at(0, start, sizeof start) == sizeof start && start[0] == 0x1f &&
         start[1] == 0x8b;
}

bool write_all(int to, const char* bytes, size_t left) {
  while (left > 0) {
    const ssize_t done = ::write(to, bytes, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    left -= static_cast<size_t>(done);
  }
  return true;
}

/// "", or what is wrong. Compressed files one after the other are one.
std::string unpack(const std::string& path, uint64_t packed_bytes, int to) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> from(::gzopen(path.c_str(), "rbe"), gzclose_r);
  if (!from) return fmt::format("cannot open it: {}", std::strerror(errno));
  const std::unique_ptr<char[]> plain(new char[kBlockBytes]);
  const uint64_t most = kAlwaysBytes + kMaxRatio * packed_bytes;
  uint64_t unpacked = 0;
  int got = 0;
  while ((got = ::gzread(from.get(), plain.get(), kBlockBytes)) > 0) {
    unpacked += static_cast<uint64_t>(got);
    if (unpacked > most) {
      return fmt::format(
          "its {} bytes become more than {} MiB, which no timeline does; if you trust it, unpack "
          "it "
          "with gunzip and name the result",
          packed_bytes, most >> 20);
    }
    if (!write_all(to, plain.get(), static_cast<size_t>(got))) {
      return fmt::format("no room for unpacking: {}", std::strerror(errno));
    }
  }
  int status = Z_OK;
  ::gzerror(from.get(), &status);
  if (status == Z_BUF_ERROR) return "it is cut short";
  return got == 0 && status == Z_OK ? "" : "it is damaged";
}

}  // namespace

Result<File> open_plain(const std::string& path) {
  File file(path);
  if (!file.is_open()) return Error{fmt::format("cannot open {}: {}", path, File::problem())};
  if (!is_gzip(file)) return file;
  const char* const chosen = std::getenv("TMPDIR");
  std::string name = fmt::format("{}/perseid-XXXXXX", chosen != nullptr ? chosen : "/tmp");
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) {
    return Error{fmt::format("cannot unpack {} into {}: {}; set TMPDIR to a directory with room",
                             path, name, std::strerror(errno))};
  }
  File plain(name);
  ::unlink(name.c_str());
  const std::string problem = unpack(path, file.size(), fd);
  ::close(fd);
  if (!problem.empty()) return Error{fmt::format("cannot unpack {}: {}", path, problem)};
  return plain;
}

}  // namespace perseid
