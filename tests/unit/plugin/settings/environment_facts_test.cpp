// tests/unit/plugin/settings/environment_facts_test.cpp: the right variables, and nothing else.
#include "plugin/settings/environment_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/settings/fixed_text.h"

namespace perseid {
namespace {

std::string written(std::string_view value) {
  FixedText<kMaxFactBytes + 1> text;
  add_fact_value(text, value);
  EXPECT_FALSE(text.is_cut());
  return std::string(text.view());
}

TEST(EnvironmentFacts, OnlyVariablesOfRuntimesAreFacts) {
  for (const char* name :
       {"STARPU_SCHED", "OMP_NUM_THREADS", "KMP_AFFINITY", "GOMP_SPINCOUNT", "OPENBLAS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "SLURM_CPU_BIND_LIST", "CUDA_VISIBLE_DEVICES", "POCL_DEVICES"})
    EXPECT_TRUE(is_environment_fact(name)) << name;
  for (const char* name : {"PATH", "AWS_SECRET_ACCESS_KEY", "OPENBLAS_NUM_THREADS_TOKEN",
                           "MY_OMP_X", "SLURM_JOB_USER", "STARPU_A B", "STARPU_\n", ""})
    EXPECT_FALSE(is_environment_fact(name)) << name;
  EXPECT_FALSE(is_environment_fact("OMP_" + std::string(61, 'X')));
}

TEST(EnvironmentFacts, ValuesAreOneLineAndNotLong) {
  EXPECT_EQ(written("close,spread"), "close,spread");
  EXPECT_EQ(written("a\nb\x1b[0m\x7f"), "a\\x0ab\\x1b[0m\\x7f");
  const std::string cut = written(std::string(300, 'x'));
  EXPECT_EQ(cut, std::string(253, 'x') + "...");
  EXPECT_LE(written(std::string(300, '\n')).size(), kMaxFactBytes);
}

TEST(EnvironmentFacts, ThereAreAtMostSoMany) {
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back("STARPU_X" + std::to_string(i) + "=1");
  texts.insert(texts.begin(), {"SECRET=x", "OMP_EMPTY=", "OMP_NO_EQUALS"});
  std::vector<const char*> entries;
  for (const std::string& text : texts) entries.push_back(text.c_str());
  entries.push_back(nullptr);
  std::vector<std::string> names;
  for_each_environment_fact(
      entries.data(), [&](std::string_view name, std::string_view) { names.emplace_back(name); });
  ASSERT_EQ(names.size(), kMaxEnvironmentFacts);
  EXPECT_EQ(names[0], "OMP_EMPTY");
  EXPECT_EQ(names[1], "STARPU_X0");
  for_each_environment_fact(nullptr, [](std::string_view, std::string_view) { FAIL(); });
}

}  // namespace
}  // namespace perseid
