# Hexagon Linux (musl) with the compiler of the `ziglang` Python package; tests run under qemu-hexagon.
# HEXMLIR_PYTHON names a Python that has the package (default: python3).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR hexagon)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

if(NOT HEXMLIR_PYTHON)
  if(DEFINED ENV{HEXMLIR_PYTHON})
    set(HEXMLIR_PYTHON $ENV{HEXMLIR_PYTHON})
  else()
    set(HEXMLIR_PYTHON python3)
  endif()
endif()

# zig is a multi-call program: small scripts stand for its tools.
foreach(tool cc ar ranlib)
  file(WRITE ${CMAKE_BINARY_DIR}/zig-${tool} "#!/bin/sh\nexec '${HEXMLIR_PYTHON}' -m ziglang ${tool} \"$@\"\n")
  file(CHMOD ${CMAKE_BINARY_DIR}/zig-${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${CMAKE_BINARY_DIR}/zig-cc)
set(CMAKE_C_COMPILER_AR ${CMAKE_BINARY_DIR}/zig-ar)
set(CMAKE_AR ${CMAKE_BINARY_DIR}/zig-ar)
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/zig-ranlib)
set(CMAKE_C_FLAGS_INIT "-target hexagon-linux-musl -mcpu=hexagonv67 -fno-sanitize=all")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-hexagon;-cpu;v67)
