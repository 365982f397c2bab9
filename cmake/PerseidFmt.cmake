# The target perseid_fmt. Header-only, fmt takes longer to compile than most sources that use it, so
# it is compiled once; where this release of fmt does not let itself be compiled so, it stays
# header-only.
find_package(fmt REQUIRED)
get_target_property(fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
try_compile(PERSEID_FMT_COMPILES ${CMAKE_BINARY_DIR}/fmt_check
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_check.cpp
  CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include}
  CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
if(PERSEID_FMT_COMPILES)
  add_library(perseid_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp)
  target_include_directories(perseid_fmt SYSTEM PUBLIC ${fmt_include})
  target_link_libraries(perseid_fmt PRIVATE perseid_options)
else()
  message(STATUS "fmt is used header-only: the build takes longer.")
  add_library(perseid_fmt INTERFACE)
  target_link_libraries(perseid_fmt INTERFACE fmt::fmt-header-only)
endif()
