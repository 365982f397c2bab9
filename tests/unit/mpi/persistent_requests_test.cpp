// tests/unit/mpi/persistent_requests_test.cpp: persistent requests are known until they are freed.
#include "mpi/record/persistent_requests.h"

#include <gtest/gtest.h>

namespace perseid::mpi {
namespace {

PersistentRequest request_of(uint64_t bytes) {
  PersistentRequest info;
  info.bytes = bytes;
  return info;
}

TEST(PersistentRequests, ARequestIsKnownUntilItIsFreed) {
  keep_persistent_request(0xa, request_of(1));
  ASSERT_NE(find_persistent_request(0xa), nullptr);
  EXPECT_EQ(find_persistent_request(0xa)->bytes, 1u);
  forget_persistent_request(0xa);
  EXPECT_EQ(find_persistent_request(0xa), nullptr);
}

TEST(PersistentRequests, AReusedHandleHasItsLatestArguments) {
  keep_persistent_request(0xb, request_of(1));
  keep_persistent_request(0xb, request_of(2));
  EXPECT_EQ(find_persistent_request(0xb)->bytes, 2u);
  forget_persistent_request(0xb);
  EXPECT_EQ(find_persistent_request(0xb), nullptr);
}

TEST(PersistentRequests, ThousandsAreKnownAndMoreDoNoHarm) {
  constexpr Word kFirst = 0x7f0000001000, kStep = 64;
  constexpr uint64_t kSome = 4000, kTooMany = 20000;
  for (uint64_t i = 0; i < kTooMany; ++i) {
    keep_persistent_request(kFirst + kStep * i, request_of(i));
    if (i >= kSome) continue;
    const PersistentRequest* found = find_persistent_request(kFirst + kStep * i);
    ASSERT_NE(found, nullptr) << i;
  }
  uint64_t known = 0;
  for (uint64_t i = 0; i < kTooMany; ++i) {
    const PersistentRequest* found = find_persistent_request(kFirst + kStep * i);
    ASSERT_TRUE(found || i >= kSome) << i;
    EXPECT_EQ(found ? found->bytes : i, i);
    known += found ? 1 : 0;
    forget_persistent_request(kFirst + kStep * i);
    EXPECT_EQ(find_persistent_request(kFirst + kStep * i), nullptr);
  }
  EXPECT_LT(known, kTooMany);
  keep_persistent_request(kFirst, request_of(3));
  EXPECT_NE(find_persistent_request(kFirst), nullptr);
  forget_persistent_request(kFirst);
}

}  // namespace
}  // namespace perseid::mpi
