# What `cmake --install` puts in place: the components `program`, `dev`, `c`, `ompl` (see adapters) and `python`, and the packages
# of CMake and pkg-config by which other projects find the libraries.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY proven_public_libraries)

add_library(proven_everything INTERFACE)
add_library(proven::proven ALIAS proven_everything)
set_target_properties(proven_everything PROPERTIES EXPORT_NAME proven)
list(TRANSFORM libraries PREPEND proven_ OUTPUT_VARIABLE targets)
target_link_libraries(proven_everything INTERFACE ${targets})
install(TARGETS proven_everything EXPORT proven COMPONENT dev)

install(DIRECTORY include/proven TYPE INCLUDE COMPONENT dev PATTERN c EXCLUDE)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/proven)
install(EXPORT proven FILE proven-targets.cmake NAMESPACE proven:: DESTINATION ${package_dir}
        COMPONENT dev)
configure_package_config_file(cmake/proven-config.cmake.in ${PROJECT_BINARY_DIR}/proven-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proven-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proven-config.cmake
        ${PROJECT_BINARY_DIR}/proven-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# Static libraries in an order in which each finds what it needs in those after it.
set(PKG_CONFIG_LIBRARIES "")
set(PKG_CONFIG_HIDDEN "")
set(by_need ${libraries})
list(REMOVE_ITEM by_need base)
list(REVERSE by_need)
foreach(library ${by_need} base)
  string(APPEND PKG_CONFIG_LIBRARIES " -lproven_${library}")
  string(APPEND PKG_CONFIG_HIDDEN ":libproven_${library}.a")
endforeach()
string(SUBSTRING "${PKG_CONFIG_HIDDEN}" 1 -1 PKG_CONFIG_HIDDEN)
file(RELATIVE_PATH PKG_CONFIG_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/proven.pc.in ${PROJECT_BINARY_DIR}/proven.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/proven.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dev)
