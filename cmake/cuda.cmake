# What runs on a graphics card, compiled by nvcc into one object file. CMake's own support of the language is not used: the
# flags below are all that matters, and they are the same for every version of CMake and of CUDA.

set(ZILCH_CUDA_ARCHITECTURES "75-virtual;90-real" CACHE STRING
  "Cards that libzilch_cuda has code for: numbers as in CMAKE_CUDA_ARCHITECTURES, or native")

# The same bits as on a processor: no fused multiply-adds, division and square root as IEEE 754 has them, and no small number
# becomes zero. nvcc writes this into the code for virtual architectures too, so that a driver that compiles it for a later card
# gives the same bits.
set(zilch_nvcc_bits -std=c++20 -O3 -DNDEBUG -fmad=false -prec-div=true -prec-sqrt=true -ftz=false)
set(zilch_nvcc_flags ${zilch_nvcc_bits}
  -Xcompiler=-fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-ffp-contract=off,-fstack-protector-strong)
if("${ZILCH_CUDA_ARCHITECTURES}" STREQUAL "native")
  list(APPEND zilch_nvcc_flags -arch=native)
else()
  foreach(architecture ${ZILCH_CUDA_ARCHITECTURES})
    string(REGEX MATCH "^[0-9]+[af]?" number "${architecture}")
    if(architecture MATCHES "-virtual$")
      list(APPEND zilch_nvcc_flags -gencode=arch=compute_${number},code=compute_${number})
    else()
      list(APPEND zilch_nvcc_flags -gencode=arch=compute_${number},code=sm_${number})
      if(NOT architecture MATCHES "-real$")
        list(APPEND zilch_nvcc_flags -gencode=arch=compute_${number},code=compute_${number})
      endif()
    endif()
  endforeach()
endif()

# zilch_try_nvcc(OUT): whether nvcc is there, finds a compiler for the host, and knows these cards
function(zilch_try_nvcc out)
  set(${out} OFF PARENT_SCOPE)
  if(NOT CUDAToolkit_NVCC_EXECUTABLE)
    return()
  endif()
  set(tried "${CUDAToolkit_NVCC_EXECUTABLE} ${zilch_nvcc_flags}")
  if(NOT "${zilch_nvcc_tried}" STREQUAL "${tried}")
    set(file ${PROJECT_BINARY_DIR}/CMakeFiles/zilch_nvcc.cu)
    file(WRITE ${file} "__global__ void kernel(float *x) { *x = *x / 3.0F; }\n")
    execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${zilch_nvcc_flags} -c ${file} -o ${file}.o
                    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(failed)
      message(STATUS "nvcc cannot be used: ${log}")
    endif()
    set(zilch_nvcc_failed "${failed}" CACHE INTERNAL "")
    set(zilch_nvcc_tried "${tried}" CACHE INTERNAL "")
  endif()
  if(NOT zilch_nvcc_failed)
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()

# zilch_add_kernels(OUT): the rule for the object file, whose name it gives
function(zilch_add_kernels out)
  set(object ${PROJECT_BINARY_DIR}/kernels.cu.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${zilch_nvcc_flags} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
            -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/src/cuda/kernels.cu -o ${object}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/kernels.cu
    DEPFILE ${object}.d
    COMMENT "Compiling what runs on a graphics card"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} ${object} PARENT_SCOPE)
endfunction()
