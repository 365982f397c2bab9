// timeline/writers/gzip_stream.h: gzip in blocks, on all cores, as one ordinary gzip file.
//
//   header | block | block | ... | last block | CRC-32, length
//
// Each block is compressed alone, knowing the last 32 KiB before it, and ends on a byte, so that
// several threads can work at once and any reader sees one stream.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "timeline/writers/byte_sink.h"

namespace perseid {

class GzipStream final : public ByteSink {
 public:
  static constexpr size_t kBlockBytes = 1 << 19;

  /// With `threads` 0 the caller's thread compresses: where no thread may be started.
  GzipStream(ByteSink& to, size_t threads);
  ~GzipStream() override;

  void write(const char* data, size_t bytes) noexcept override;
  void finish() noexcept override;

  /// False in a library that was built without zlib, gzip_stream_absent.cpp: none may be made
  /// there.
  static bool is_available() noexcept;

  /// One for each core, some at most.
  static size_t sensible_threads() noexcept;

 private:
  struct Block {
    std::string dictionary;  // what came right before it
    std::string plain;
    std::string packed;
    uint32_t sum = 0;  // CRC-32 of `plain`
    bool is_last = false;
    bool is_taken = false;
    bool is_done = false;
  };

  void start_threads(size_t count);
  void submit(bool is_last);
  void work();
  void drain(size_t most_left);
  void pass_on(const Block& block);
  static void compress(Block& block) noexcept;

  ByteSink* to_;
  std::string filling_;
  std::string last_bytes_;  // of the block before
  uint32_t sum_ = 0;
  uint64_t plain_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_result_;
  std::deque<Block> blocks_;  // in order; the front is written when it is done
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace perseid
