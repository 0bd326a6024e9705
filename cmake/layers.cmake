# proven_public(NAME): the library is part of what users get: its headers, and a target proven::NAME in
# the package for CMake. Whatever shared library a user makes of it exports none of our symbols.
function(proven_public name)
  target_include_directories(proven_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/internal>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(proven_${name} INTERFACE cxx_std_20)
  target_link_options(proven_${name} INTERFACE
                      $<INSTALL_INTERFACE:LINKER:--exclude-libs,libproven_${name}.a>)
  set_target_properties(proven_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS proven_${name} EXPORT proven ARCHIVE COMPONENT dev)
  set_property(GLOBAL APPEND PROPERTY proven_public_libraries ${name})
endfunction()

# What a layer may use: its line of layers.txt.
function(proven_layer_uses name result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/layers.txt)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/layers.txt line REGEX "^${name}:")
  if(NOT line)
    message(FATAL_ERROR "the layer ${name} has no line in cmake/layers.txt")
  endif()
  string(REGEX MATCHALL "[a-z]+" names "${line}")
  list(POP_FRONT names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# proven_layer(NAME [NOT_HOT] [LINK PUBLIC|PRIVATE lib...])
# A layer is one static target: public headers in include/proven/NAME, those that only the other layers
# see in internal/proven/NAME, sources in src/NAME. Code
# that is NOT_HOT (readers, commands) compiles in half the time.
function(proven_layer name)
  cmake_parse_arguments(ARG "NOT_HOT" "" "LINK" ${ARGN})
  proven_layer_uses(${name} uses)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_kernel\\.cpp$")  # proven_kernel compiles those
  add_library(proven_${name} STATIC ${sources})
  add_library(proven::${name} ALIAS proven_${name})
  target_include_directories(proven_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  proven_public(${name})
  foreach(used ${uses})
    target_link_libraries(proven_${name} PUBLIC proven_${used})
  endforeach()
  if(ARG_LINK)
    target_link_libraries(proven_${name} ${ARG_LINK})
  endif()
  if(ARG_NOT_HOT)
    target_compile_options(proven_${name} PRIVATE -O1)
  endif()
  if(name STREQUAL base OR ARG_NOT_HOT)
    proven_precompile(proven_${name})
  else()
    proven_precompile(proven_${name} AS proven_base)
  endif()
endfunction()
