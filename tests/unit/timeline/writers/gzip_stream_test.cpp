// tests/unit/timeline/writers/gzip_stream_test.cpp: what is compressed in blocks comes out whole.
#include "timeline/writers/gzip_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/stream/fabricate.h"
#include "tests/unit/timeline/writers/memory_sink.h"
#include "timeline/check/plain_file.h"

namespace perseid {
namespace {

std::string packed(std::string_view plain, size_t threads, size_t piece) {
  test::MemorySink sink;
  {
    GzipStream stream(sink, threads);
    for (size_t at = 0; at < plain.size(); at += piece) {
      const std::string_view part = plain.substr(at, piece);
      stream.write(part.data(), part.size());
    }
    stream.finish();
  }
  EXPECT_TRUE(sink.is_finished);
  return sink.bytes;
}

Result<File> unpack(const test::TemporaryDirectory& directory, const std::string& bytes) {
  test::write_file(directory / "packed.gz", bytes);
  return open_plain(directory / "packed.gz");
}

/// Half repetition, half noise.
std::string sample(size_t bytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < bytes) {
    text += "{\"ph\":\"X\",\"name\":\"tile\",\"ts\":";
    for (int i = 0; i < 12; ++i) text += static_cast<char>(random());
  }
  text.resize(bytes);
  return text;
}

TEST(GzipStream, AnyLengthComesBackWithAnyNumberOfThreads) {
  const test::TemporaryDirectory directory;
  constexpr size_t kBlock = GzipStream::kBlockBytes;
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{1000}, kBlock - 1, kBlock, kBlock + 1, 7 * kBlock + 12'345}) {
    const std::string plain = sample(bytes);
    for (const size_t threads : {0u, 1u, 3u}) {
      const Result<File> file = unpack(directory, packed(plain, threads, 100'000));
      ASSERT_TRUE(file) << file.error();
      EXPECT_EQ(file->read_text(bytes + 1), plain) << bytes << " bytes, " << threads << " threads";
    }
  }
}

TEST(GzipStream, TheBytesDoNotDependOnThreadsOrPieces) {
  const std::string plain = sample(3 * GzipStream::kBlockBytes + 77);
  const std::string alone = packed(plain, 0, plain.size());
  EXPECT_EQ(packed(plain, 2, 4096), alone);
  EXPECT_EQ(packed(plain, 16, 999'999), alone);
  EXPECT_LT(alone.size(), plain.size());
}

TEST(PlainFile, CutOrDamagedFilesAreRefusedAndSeveralAreOne) {
  const test::TemporaryDirectory directory;
  const std::string plain = sample(100'000);
  const std::string whole = packed(plain, 0, plain.size());
  EXPECT_TRUE(
      unpack(directory, whole.substr(0, whole.size() / 2)).error().ends_with("it is cut short"));
  std::string broken = whole;
  broken[broken.size() - 5] = static_cast<char>(broken[broken.size() - 5] ^ 1);  // its sum
  EXPECT_TRUE(unpack(directory, broken).error().ends_with("it is damaged"));
  const Result<File> twice = unpack(directory, whole + whole);
  ASSERT_TRUE(twice) << twice.error();
  EXPECT_EQ(twice->size(), 2 * plain.size());
  EXPECT_FALSE(open_plain(directory / "missing.gz"));
}

}  // namespace
}  // namespace perseid
