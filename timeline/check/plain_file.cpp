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

constexpr size_t kBlockBytes = 1 << 18;
constexpr int kGzip = 15 + 16;  // a window of 2^15, a gzip header
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

class Unpacker {
 public:
  Unpacker() { is_ready_ = inflateInit2(&stream_, kGzip) == Z_OK; }
  ~Unpacker() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// "", or what is wrong.
  std::string run(const File& from, int to) {
    if (!is_ready_) return "no memory for unpacking";
    const std::unique_ptr<char[]> packed(new char[kBlockBytes]);
    const std::unique_ptr<char[]> plain(new char[kBlockBytes]);
    const uint64_t most = kAlwaysBytes + kMaxRatio * from.size();
    uint64_t offset = 0;
    uint64_t unpacked = 0;
    int status = Z_OK;
    while (const size_t got = from.read_at(offset, packed.get(), kBlockBytes)) {
      offset += got;
      stream_.next_in = reinterpret_cast<Bytef*>(packed.get());
      stream_.avail_in = static_cast<uInt>(got);
      while (stream_.avail_in > 0) {
        // Compressed files put one behind the other are one.
        if (status == Z_STREAM_END && inflateReset(&stream_) != Z_OK) return "it is damaged";
        stream_.next_out = reinterpret_cast<Bytef*>(plain.get());
        stream_.avail_out = static_cast<uInt>(kBlockBytes);
        status = inflate(&stream_, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
          return "it is damaged";
        }
        const size_t bytes = kBlockBytes - stream_.avail_out;
        unpacked += bytes;
        if (unpacked > most) {
          return fmt::format(
              "its {} bytes become more than {} MiB, which no timeline does; if you trust it, "
              "unpack "
              "it with gunzip and name the result",
              from.size(), most >> 20);
        }
        if (!write_all(to, plain.get(), bytes)) {
          return fmt::format("no room for unpacking: {}", std::strerror(errno));
        }
      }
    }
    return status == Z_STREAM_END ? "" : "it is cut short";
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

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
  const std::string problem = Unpacker().run(file, fd);
  ::close(fd);
  if (!problem.empty()) return Error{fmt::format("cannot unpack {}: {}", path, problem)};
  return plain;
}

}  // namespace perseid
