// tests/unit/timeline/symbols/code_place_test.cpp: how a place in the code is written.
#include "timeline/symbols/code_place.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(ShownFunction, LosesSignatureAndManglingButKeepsTheScope) {
  EXPECT_EQ(shown_function("main"), "main");
  EXPECT_EQ(shown_function("_ZL3fibi"), "fib");
  EXPECT_EQ(shown_function("_ZN6solver6Matrix6factorEid"), "solver::Matrix::factor");
  EXPECT_EQ(shown_function("_ZNK6Matrix4sizeEv"), "Matrix::size");
  EXPECT_EQ(shown_function("_Z3runIiEvT_"), "run<int>");
  EXPECT_EQ(shown_function("_ZN12_GLOBAL__N_14workEv"), "work");
  EXPECT_EQ(shown_function("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
  EXPECT_EQ(shown_function("_ZN4NodeclEi"), "Node::operator()");
  EXPECT_EQ(shown_function("_ZlsRSo4Node"), "operator<<");
}

TEST(ShownFunction, LosesWhatCompilersAddForConstructs) {
  EXPECT_EQ(shown_function("main._omp_fn.5"), "main");
  EXPECT_EQ(shown_function("_ZL3fibi._omp_fn.0"), "fib");
  EXPECT_EQ(shown_function("main.omp_outlined_debug__.1"), "main");
  EXPECT_EQ(shown_function("main.omp_outlined"), "main");
  EXPECT_EQ(shown_function("sort.constprop.0"), "sort");
  EXPECT_EQ(shown_function(".omp_outlined._debug__.3"), "");
  EXPECT_EQ(shown_function(".omp_outlined."), "");
  EXPECT_EQ(shown_function(".omp_task_entry..4"), "");
  EXPECT_EQ(shown_function(""), "");
}

TEST(CodePlace, ShowsAsMuchAsIsKnown) {
  CodePlace place;
  EXPECT_EQ(place.text(), "");
  place.module = "solver";
  place.offset = 0x1234;
  EXPECT_EQ(place.text(), "solver+0x1234");
  place.function = "fib";
  EXPECT_EQ(place.text(), "fib (solver+0x1234)");
  place.file = "fib.cpp";
  place.line = 42;
  EXPECT_EQ(place.text(), "fib (fib.cpp:42)");
  place.function.clear();
  EXPECT_EQ(place.text(), "fib.cpp:42");
}

}  // namespace
}  // namespace perseid
