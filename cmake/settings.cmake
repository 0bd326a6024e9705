# Compiler settings that the whole project shares.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

find_program(CCACHE ccache)
if(CCACHE)
  # What ccache must not mind to share files that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# The error budget (docs/error_budget.md) assumes plain IEEE arithmetic: no fused operations the
# source does not ask for, no reassociation.
add_compile_options(-ffp-contract=off -fno-fast-math -Wall -Wextra -Wconversion -Wshadow)
# gcc 12 sees overlapping and endless copies in plain string concatenation (its bugs 105651, 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-array-bounds)
endif()
if(PROVEN_WERROR)
  add_compile_options(-Werror)
endif()
if(PROVEN_SANITIZE)
  add_compile_options(-fsanitize=${PROVEN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PROVEN_SANITIZE})
endif()
if(PROVEN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(PROVEN_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
