# proven_kernel(LAYER NAME): compiles src/LAYER/NAME_kernel.cpp once for each instruction set, with
# PROVEN_INSTRUCTION_SET as its name, and adds all of them to the layer; the program chooses at run
# time (proven/base/simd.h). Neither errno nor traps are looked at, so that loops become vector
# instructions. gcc 12 warns about its own AVX-512 header (its bug 105593).
set(kernel_options_scalar)
set(kernel_options_avx2 -mavx2)
set(kernel_options_avx512 -mavx512f -mavx512dq -mprefer-vector-width=512 -Wno-maybe-uninitialized -Wno-uninitialized)
set(kernel_instruction_sets scalar)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND kernel_instruction_sets avx2 avx512)
endif()

function(proven_kernel layer name)
  foreach(set ${kernel_instruction_sets})
    set(target proven_${layer}_${name}_${set})
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/src/${layer}/${name}_kernel.cpp)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                               ${PROJECT_SOURCE_DIR}/internal ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE PROVEN_INSTRUCTION_SET=${set})
    target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math ${kernel_options_${set}})
    target_sources(proven_${layer} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
