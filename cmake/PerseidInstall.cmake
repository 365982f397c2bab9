# cmake --install: library, command line, header, and the two ways to find them.
include(CMakePackageConfigHelpers)

add_library(perseid_annotations INTERFACE)
set_target_properties(perseid_annotations PROPERTIES EXPORT_NAME annotations)
target_include_directories(perseid_annotations INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

target_include_directories(perseid_library INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# No symbol of the library is needed by a program that links it: the linker must not drop it.
target_link_options(perseid_library INTERFACE LINKER:--no-as-needed)

install(TARGETS perseid_library perseid_annotations EXPORT PerseidTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS perseid_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/tools/perseid/trace_query.mjs
              ${CMAKE_SOURCE_DIR}/tools/perseid/install_trace_processor.sh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/perseid)
install(FILES ${CMAKE_SOURCE_DIR}/include/perseid.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Perseid)
install(EXPORT PerseidTargets NAMESPACE Perseid:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PerseidConfig.cmake.in
  ${CMAKE_BINARY_DIR}/PerseidConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PerseidConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PerseidConfig.cmake ${CMAKE_BINARY_DIR}/PerseidConfigVersion.cmake
        DESTINATION ${package_dir})

# Relative to the file itself, so that a moved installation is still found.
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/perseid.pc.in ${CMAKE_BINARY_DIR}/perseid.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/perseid.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
