# FindStarPU: StarPU::StarPU, the library (not what it links itself) and its headers; StarPU_LIBRARY,
# StarPU_INCLUDE_DIR and StarPU_VERSION. pkg-config knows the place, if it is there and knows StarPU.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_search_module(PC_StarPU QUIET starpu-1.4 starpu-1.3)
endif()
find_path(StarPU_INCLUDE_DIR starpu.h HINTS ${PC_StarPU_INCLUDE_DIRS}
          PATH_SUFFIXES starpu/1.4 starpu/1.3)
find_library(StarPU_LIBRARY NAMES ${PC_StarPU_MODULE_NAME} starpu-1.4 starpu-1.3
             HINTS ${PC_StarPU_LIBRARY_DIRS} ${PC_StarPU_LIBDIR})
mark_as_advanced(StarPU_INCLUDE_DIR StarPU_LIBRARY)
set(StarPU_VERSION ${PC_StarPU_VERSION})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPU REQUIRED_VARS StarPU_LIBRARY StarPU_INCLUDE_DIR
                                  VERSION_VAR StarPU_VERSION)
if(StarPU_FOUND AND NOT TARGET StarPU::StarPU)
  add_library(StarPU::StarPU UNKNOWN IMPORTED)
  set_target_properties(StarPU::StarPU PROPERTIES
    IMPORTED_LOCATION ${StarPU_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${StarPU_INCLUDE_DIR})
endif()
