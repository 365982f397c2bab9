# Headers that take longer to parse than most sources that include them, compiled once per build.
#
# Tests have them in every build. The libraries have them under a sanitizer only: in the other builds
# a source that forgets an include must fail.
set(PERSEID_LIBRARY_HEADERS <algorithm> <cstdint> <cstring> <fmt/format.h> <memory> <string>
    <string_view> <unordered_map> <vector>)
set(PERSEID_TEST_HEADERS ${PERSEID_LIBRARY_HEADERS} <filesystem> <fstream> <functional>
    <gtest/gtest.h> <map> <thread>)

# What a compiler cache needs to find such a header again: clang must not write the time into it, and
# gcc must name it in what it preprocesses.
add_library(perseid_precompiled INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(perseid_precompiled INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(perseid_precompiled INTERFACE -fpch-preprocess)
endif()

# perseid_precompile(TARGET [FROM OTHER]): for a library; FROM where all options are the same.
function(perseid_precompile target)
  cmake_parse_arguments(P "" "FROM" "" ${ARGN})
  if(NOT PERSEID_SANITIZE)
    return()
  endif()
  target_link_libraries(${target} PRIVATE perseid_precompiled)
  if(P_FROM)
    target_precompile_headers(${target} REUSE_FROM ${P_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${PERSEID_LIBRARY_HEADERS})
  endif()
endfunction()
