# Debian packages: `cpack -G DEB --config build/release/CPackConfig.cmake`. One package per component;
# what a program needs of the system is read off its libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME proven)
set(CPACK_PACKAGE_VENDOR Proven)
set(CPACK_PACKAGE_CONTACT "The authors of Proven <proven@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Proves robot motion free of collision, or shows the collision")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program dev c)
if(TARGET proven_ompl)
  list(APPEND CPACK_COMPONENTS_ALL ompl)
endif()
if(TARGET proven_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME proven)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Proves robot motion free of collision, or shows the collision
Checks, plans and smooths whole continuous motions of robots from their URDF. The answer \"free\"
comes with a certificate that an independent verifier checks in interval arithmetic.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libproven-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# Static libraries: whoever links them needs what they use.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libfmt-dev (>= 9), libtinyxml2-dev, libyaml-cpp-dev, libzstd-dev, zlib1g-dev, libmpfi-dev, pkg-config")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "Proves robot motion free of collision: headers and static libraries
For find_package(proven) of CMake and for pkg-config.")

set(CPACK_DEBIAN_C_PACKAGE_NAME libproven1)
set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_C_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_C_DESCRIPTION
    "Proves robot motion free of collision: shared library for C
The interface for C, and for languages that call C, with its header: pkg-config proven-c.")

set(CPACK_DEBIAN_OMPL_PACKAGE_NAME libproven-ompl-dev)
set(CPACK_DEBIAN_OMPL_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_OMPL_PACKAGE_DEPENDS
    "libproven-dev (= ${PROJECT_VERSION}), libompl-dev, libeigen3-dev")
set(CPACK_COMPONENT_OMPL_DESCRIPTION
    "Proves robot motion free of collision: adapter for OMPL
A motion validator and a state validity checker that prove what they call valid, for any planner of
OMPL: find_package(proven COMPONENTS ompl).")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-proven)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
if(Python3_FOUND)
  # The module is compiled for one version of Python.
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
endif()
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Proves robot motion free of collision: package for Python
Scenes, checks, certificates, planning and smoothing on numpy arrays.")

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  install(FILES LICENSE RENAME copyright COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
include(CPack)
