// tests/unit/cupti/names_test.cpp: what CUDA's names are shown as.
#include "cupti/decode/names.h"

#include <gtest/gtest.h>

namespace perseid::cupti {
namespace {

TEST(CuptiNames, CallsLoseTheVersionThatCuptiAdds) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
  EXPECT_EQ(without_version("__cudaLaunchKernel_v13000"), "__cudaLaunchKernel");
  EXPECT_EQ(without_version("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(without_version("my_vector"), "my_vector");
  EXPECT_EQ(without_version("_v2"), "_v2");
}

TEST(CuptiNames, UnknownNumbersHaveWordsToo) {
  EXPECT_EQ(copy_name(1), "copy host → device");
  EXPECT_EQ(copy_name(200), "copy");
  EXPECT_EQ(memory_name(2), "pinned");
  EXPECT_EQ(memory_name(99), "unknown");
  EXPECT_EQ(sync_name(3), "wait for stream");
  EXPECT_EQ(sync_name(77), "wait");
  EXPECT_EQ(overhead_name(2u << 16), "CUPTI instruments");
  EXPECT_EQ(overhead_name(99u << 16), "overhead");
}

}  // namespace
}  // namespace perseid::cupti
