// timeline/writers/gzip_stream.cpp: deflate by zlib, joined by hand.
#include "timeline/writers/gzip_stream.h"

#include <signal.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

namespace perseid {
namespace {

constexpr size_t kWindowBytes = 32 * 1024;
constexpr int kRawDeflate = -15;  // a window of 2^15, no header
constexpr int kMemoryLevel = 9;
/// Timelines are full of repetition: the fastest level already takes most of it.
constexpr int kLevel = 1;

/// zlib's own would be the host's malloc, which a signal may have stopped half-way.
void* allocate(void*, unsigned count, unsigned size) {
  return ::operator new(static_cast<size_t>(count) * size, std::nothrow);
}
void release(void*, void* memory) { ::operator delete(memory); }

const Bytef* bytes_of(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

/// Threads of ours leave the program's signals to the program.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void append_number(std::string& text, uint32_t value) {
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i));
}

/// Without memory for compressing: the plain bytes, in the blocks that deflate has for them.
std::string stored(std::string_view plain, bool is_last) {
  constexpr size_t kLargest = 0xffff;
  std::string packed;
  do {
    const size_t length = std::min(plain.size(), kLargest);
    const auto size = static_cast<uint32_t>(length);
    packed += static_cast<char>(is_last && length == plain.size() ? 1 : 0);
    append_number(packed, size | (~size & 0xffff) << 16);
    packed += plain.substr(0, length);
    plain.remove_prefix(length);
  } while (!plain.empty());
  return packed;
}

}  // namespace

bool GzipStream::is_available() noexcept { return true; }

size_t GzipStream::sensible_threads() noexcept {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 16);
}

GzipStream::GzipStream(ByteSink& to, size_t threads) : to_(&to) {
  filling_.reserve(kBlockBytes);
  start_threads(threads);
  constexpr char kHeader[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 4, 3};  // deflate, fastest, Unix
  to_->write(kHeader, sizeof kHeader);
}

void GzipStream::start_threads(size_t count) {
  const SignalsBlocked blocked;
  try {
    while (threads_.size() < count) threads_.emplace_back(&GzipStream::work, this);
  } catch (const std::system_error&) {
    // With fewer threads, or none, it takes longer.
  }
}

GzipStream::~GzipStream() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void GzipStream::write(const char* data, size_t bytes) noexcept {
  while (bytes > 0) {
    const size_t taken = std::min(bytes, kBlockBytes - filling_.size());
    filling_.append(data, taken);
    data += taken;
    bytes -= taken;
    if (filling_.size() == kBlockBytes) submit(false);
  }
}

void GzipStream::finish() noexcept {
  submit(true);
  drain(0);
  std::string trailer;
  append_number(trailer, sum_);
  append_number(trailer, static_cast<uint32_t>(plain_bytes_));
  to_->write(trailer.data(), trailer.size());
  to_->finish();
}

void GzipStream::submit(bool is_last) {
  Block block;
  block.dictionary = std::move(last_bytes_);
  block.plain = std::move(filling_);
  block.is_last = is_last;
  const size_t kept = std::min(kWindowBytes, block.plain.size());
  last_bytes_ = block.plain.substr(block.plain.size() - kept);
  filling_.clear();
  filling_.reserve(kBlockBytes);
  if (threads_.empty()) {
    compress(block);
    return pass_on(block);
  }
  {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
  }
  has_work_.notify_one();
  drain(2 * threads_.size());
}

/// Writes finished blocks, and waits as long as more than `most_left` are on their way.
void GzipStream::drain(size_t most_left) {
  std::unique_lock lock(mutex_);
  while (!blocks_.empty()) {
    if (!blocks_.front().is_done) {
      if (blocks_.size() <= most_left) return;
      has_result_.wait(lock, [this] { return blocks_.front().is_done; });
    }
    const Block done = std::move(blocks_.front());
    blocks_.pop_front();
    lock.unlock();
    pass_on(done);
    lock.lock();
  }
}

void GzipStream::pass_on(const Block& block) {
  sum_ = static_cast<uint32_t>(
      crc32_combine(sum_, block.sum, static_cast<z_off_t>(block.plain.size())));
  plain_bytes_ += block.plain.size();
  to_->write(block.packed.data(), block.packed.size());
}

void GzipStream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto waiting = std::find_if(blocks_.begin(), blocks_.end(),
                                      [](const Block& block) { return !block.is_taken; });
    if (waiting == blocks_.end()) {
      if (is_over_) return;
      has_work_.wait(lock);
      continue;
    }
    Block& block = *waiting;  // stays where it is: only done blocks leave the front
    block.is_taken = true;
    lock.unlock();
    compress(block);
    lock.lock();
    block.is_done = true;
    has_result_.notify_one();
  }
}

void GzipStream::compress(Block& block) noexcept {
  block.sum = static_cast<uint32_t>(
      crc32(crc32(0, nullptr, 0), bytes_of(block.plain), static_cast<uInt>(block.plain.size())));
  z_stream stream{};
  stream.zalloc = allocate;
  stream.zfree = release;
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kRawDeflate, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    block.packed = stored(block.plain, block.is_last);
    return;
  }
  if (!block.dictionary.empty()) {
    deflateSetDictionary(&stream, bytes_of(block.dictionary),
                         static_cast<uInt>(block.dictionary.size()));
  }
  constexpr size_t kMarkBytes = 64;  // of the empty block that ends on a byte
  block.packed.resize(deflateBound(&stream, block.plain.size()) + kMarkBytes);
  stream.next_in = const_cast<Bytef*>(bytes_of(block.plain));
  stream.avail_in = static_cast<uInt>(block.plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(block.packed.data());
  stream.avail_out = static_cast<uInt>(block.packed.size());
  deflate(&stream, block.is_last ? Z_FINISH : Z_SYNC_FLUSH);
  block.packed.resize(block.packed.size() - stream.avail_out);
  deflateEnd(&stream);
}

}  // namespace perseid
