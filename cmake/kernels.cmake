# proven_kernel(LAYER NAME [FOLDER folder] [FUSED]): compiles NAME_kernel.cpp of src/LAYER, or of the
# folder, once for each instruction set, with
# PROVEN_INSTRUCTION_SET as its name, and adds all of them to the layer; the program chooses at run
# time (proven/base/simd.h). Neither errno nor traps are looked at, so that loops become vector
# instructions. FUSED: products and sums may be fused, so that results depend on the instruction set;
# for rivals alone. gcc 12 warns about its own AVX-512 header (its bug 105593).
set(kernel_options_scalar)
set(kernel_options_avx2 -mavx2)
set(kernel_options_avx512 -mavx512f -mavx512dq -mprefer-vector-width=512 -Wno-maybe-uninitialized -Wno-uninitialized)
set(kernel_instruction_sets scalar)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND kernel_instruction_sets avx2 avx512)
endif()

function(proven_kernel layer name)
  cmake_parse_arguments(ARG "FUSED" "FOLDER" "" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER src/${layer})
  endif()
  foreach(set ${kernel_instruction_sets})
    set(target proven_${layer}_${name}_${set})
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${name}_kernel.cpp)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                               ${PROJECT_SOURCE_DIR}/internal ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target} PRIVATE PROVEN_INSTRUCTION_SET=${set})
    target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math ${kernel_options_${set}})
    if(ARG_FUSED)
      target_compile_options(${target} PRIVATE -ffp-contract=fast)
      if(NOT set STREQUAL scalar)
        target_compile_options(${target} PRIVATE -mfma)
      endif()
    endif()
    target_sources(proven_${layer} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
