# What every target of ours is compiled with. Warnings are errors in our presets; not for users, whose
# compiler may be newer than any we have seen.
option(PERSEID_WERROR "Treat warnings of the compiler as errors" OFF)
if(PERSEID_WERROR)
  set(PERSEID_WERROR_FLAG -Werror)
else()
  set(PERSEID_WERROR_FLAG "")
endif()
add_library(perseid_options INTERFACE)
target_include_directories(perseid_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(perseid_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow ${PERSEID_WERROR_FLAG} -ffunction-sections -fdata-sections)
if(PERSEID_SANITIZE)
  target_compile_options(perseid_options INTERFACE
    -fsanitize=${PERSEID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -O0 -g1)  # instrumented code takes three times as long to compile when optimised
  target_link_options(perseid_options INTERFACE -fsanitize=${PERSEID_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND PERSEID_SANITIZE MATCHES "undefined")
    # Their runtime is C++, and the library enters programs that are not.
    target_compile_options(perseid_options INTERFACE -fno-sanitize=function,vptr)
  endif()
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.h.in ${CMAKE_BINARY_DIR}/generated/perseid_version.h)
