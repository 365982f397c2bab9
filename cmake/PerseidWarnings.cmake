# What every target of ours is compiled with.
add_library(perseid_options INTERFACE)
target_include_directories(perseid_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(perseid_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -ffunction-sections -fdata-sections)
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
