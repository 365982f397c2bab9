# What every program of tests is compiled with, and the headers they share. CMake compiles headers as
# part of a target with sources, and an object library not as for executables (-fPIE).
add_library(perseid_test_options INTERFACE)
target_link_libraries(perseid_test_options INTERFACE perseid_options perseid_precompiled perseid_fmt
                      GTest::gtest)
if(NOT PERSEID_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Tests of optimised libraries need not be optimised themselves: that would double the build's time.
  target_compile_options(perseid_test_options INTERFACE -O0 -g1)
endif()
if(PERSEID_SANITIZE)
  target_compile_definitions(perseid_test_options INTERFACE PERSEID_SANITIZED)
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp CONTENT "")
add_library(perseid_test_headers OBJECT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
set_target_properties(perseid_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(perseid_test_headers PRIVATE -fPIE)
target_link_libraries(perseid_test_headers PRIVATE perseid_test_options)
target_precompile_headers(perseid_test_headers PRIVATE ${PERSEID_TEST_HEADERS})

# perseid_test_code(TARGET): compiles a program of tests, or a library for such programs, with them.
function(perseid_test_code target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIE)
  endif()
  target_link_libraries(${target} PRIVATE perseid_test_options)
  target_precompile_headers(${target} REUSE_FROM perseid_test_headers)
endfunction()

# perseid_gtest(NAME unit.plugin.ring LABEL unit SOURCES ring_test.cpp LIBRARIES perseid_recording)
# Builds one GoogleTest program and runs it as one CTest test. OPTIMISED: as the libraries are.
function(perseid_gtest)
  cmake_parse_arguments(T "OPTIMISED" "NAME;LABEL;TIMEOUT" "SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  string(REPLACE "." "_" target "test_${T_NAME}")
  add_executable(${target} ${T_SOURCES})
  target_link_libraries(${target} PRIVATE ${T_LIBRARIES} GTest::gtest_main)
  if(T_OPTIMISED)
    target_link_libraries(${target} PRIVATE perseid_options)
  else()
    perseid_test_code(${target})
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${T_NAME} COMMAND ${target})
  set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT}
                       ENVIRONMENT "${T_ENVIRONMENT}")
endfunction()

# perseid_foreign_tests(): the tests of this folder run other people's programs and runtimes, whose
# timing is not ours. tests/run.sh gives these, and only these, a second try.
function(perseid_foreign_tests)
  cmake_language(DEFER CALL perseid_label_foreign)
endfunction()
function(perseid_label_foreign)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    set_property(TEST ${test} APPEND PROPERTY LABELS foreign)
    # Among them are the longest, which begin first: at the end one would keep the others waiting.
    get_property(labels TEST ${test} PROPERTY LABELS)
    if("slow" IN_LIST labels)
      set_property(TEST ${test} PROPERTY COST 20)
    else()
      set_property(TEST ${test} PROPERTY COST 10)
    endif()
  endforeach()
endfunction()
