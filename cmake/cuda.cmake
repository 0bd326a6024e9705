# The library for GPUs: built where CUDA's compiler is, loaded when it is asked for. Everything else
# builds, passes and runs without it. No operation is fused, so that the host has the same bits.
option(PROVEN_CUDA "Build the library for GPUs where nvcc is found" ON)
set(PROVEN_CUDA_ARCHITECTURES "80;90" CACHE STRING "GPUs to compile for; newer ones take the last as PTX")
if(PROVEN_CUDA AND NOT PROVEN_SANITIZE AND NOT PROVEN_COVERAGE)
  find_program(PROVEN_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
endif()
if(PROVEN_NVCC)
  set(options -std=c++20 -O3 --fmad=false -Xcompiler -fPIC -shared)
  foreach(architecture ${PROVEN_CUDA_ARCHITECTURES})
    list(APPEND options -gencode arch=compute_${architecture},code=sm_${architecture})
    set(last ${architecture})
  endforeach()
  list(APPEND options -gencode arch=compute_${last},code=compute_${last})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_cuda.cu)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/internal/proven/base/cuda_*.h
       ${PROJECT_SOURCE_DIR}/internal/proven/base/lanes.h ${PROJECT_SOURCE_DIR}/src/certify/batch_*.h
       ${PROJECT_SOURCE_DIR}/src/roadmap/cells_*.h ${PROJECT_SOURCE_DIR}/src/roadmap/raster.h)
  set(proven_cuda_library ${PROJECT_BINARY_DIR}/cuda/libproven_cuda.so)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
  add_custom_command(OUTPUT ${proven_cuda_library}
                     COMMAND ${PROVEN_NVCC} ${options} -I${PROJECT_SOURCE_DIR}/internal -I${PROJECT_SOURCE_DIR}/src
                             -o ${proven_cuda_library} ${sources}
                     DEPENDS ${sources} ${headers}
                     COMMENT "Compiling for GPUs" VERBATIM)
  add_custom_target(proven_cuda ALL DEPENDS ${proven_cuda_library})
  install(FILES ${proven_cuda_library} TYPE LIB COMPONENT program OPTIONAL)
endif()
