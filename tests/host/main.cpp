// tests/host/main.cpp: all host tests are one program; CTest runs it once per rule.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  // A misspelt filter must not look like a passed rule.
  if (!GTEST_FLAG_GET(list_tests) && testing::UnitTest::GetInstance()->test_to_run_count() == 0)
    return 1;
  return result;
}
