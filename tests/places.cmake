# Where the sources and the build are, for tests and fuzzers.
include_guard(GLOBAL)
add_library(proven_test_places STATIC ${PROJECT_SOURCE_DIR}/tests/places.cpp)
target_compile_definitions(proven_test_places PRIVATE
  PROVEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PROVEN_BINARY_DIR="${PROJECT_BINARY_DIR}")
