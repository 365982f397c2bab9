// tests/unit/plugin/record/writable_test.cpp: every kind of memory a codelet can lie in.
#include "plugin/record/writable.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace perseid {
namespace {

constexpr uint32_t kConstant = 7;
uint32_t g_variable = 7;

TEST(Writable, DataStackAndHeapAreAndKeepTheirValue) {
  uint32_t local = 7;
  const auto heap = std::make_unique<uint32_t>(7);
  for (uint32_t* word : {&g_variable, &local, heap.get()}) {
    EXPECT_TRUE(is_writable(word));
    EXPECT_EQ(*word, 7u);
  }
}

TEST(Writable, ConstantsAndCodeAreNot) {
  EXPECT_EQ(writability_of(const_cast<uint32_t*>(&kConstant)), Writability::kNo);
  // Functions are aligned to 16 by both compilers.
  EXPECT_EQ(writability_of(reinterpret_cast<void*>(&writability_of)), Writability::kNo);
}

TEST(Writable, FollowsTheProtectionOfAPage) {
  const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_TRUE(is_writable(page));
  ASSERT_EQ(mprotect(page, bytes, PROT_READ), 0);
  EXPECT_FALSE(is_writable(page));
  ASSERT_EQ(mprotect(page, bytes, PROT_NONE), 0);
  EXPECT_FALSE(is_writable(page));
  ASSERT_EQ(munmap(page, bytes), 0);
  EXPECT_FALSE(is_writable(page));
}

TEST(Writable, IsUnknownWhereTheKernelGivesNoAnswerAndErrnoStays) {
  errno = ERANGE;
  auto* odd = reinterpret_cast<std::byte*>(&g_variable) + 1;
  EXPECT_EQ(writability_of(odd), Writability::kUnknown);
  EXPECT_EQ(errno, ERANGE);
}

}  // namespace
}  // namespace perseid
