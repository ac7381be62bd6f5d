# dynbatch_set_linkage(name static|shared)
#
# Lets CMake refuse to link the static libraries together with libDynbatch: there
# would be two copies of the dialect.
function(dynbatch_set_linkage name linkage)
  set_target_properties(${name} PROPERTIES
    INTERFACE_DYNBATCH_LINKAGE ${linkage}
    COMPATIBLE_INTERFACE_STRING DYNBATCH_LINKAGE)
endfunction()

# dynbatch_set_install_rpath(name)
#
# Where an installed program or library finds libDynbatch, beside itself, and
# the shared libraries of MLIR and LLVM that it was linked with.
function(dynbatch_set_install_rpath name)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH
    "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
endfunction()

# add_dynbatch_library(name sources... [DEPENDS ...] [LINK_LIBS ...] [MLIR_LIBS ...])
#
# A library of the compiler. LINK_LIBS are the project's own; MLIR_LIBS go
# through mlir_target_link_libraries, so that they resolve to the shared libMLIR
# and never bring a second, static copy of MLIR in.
function(add_dynbatch_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS ${ARG_DEPENDS}
    EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  dynbatch_set_linkage(${name} static)
  set_property(GLOBAL APPEND PROPERTY DYNBATCH_LIBS ${name})
  install(TARGETS ${name} EXPORT DynbatchTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(DYNBATCH_ENABLE_PCH)
    # Compiled once, with the first library; all share its flags.
    if(name STREQUAL "DynbatchIR")
      target_precompile_headers(${name} PRIVATE
        ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
    else()
      target_precompile_headers(${name} REUSE_FROM DynbatchIR)
    endif()
  endif()
endfunction()

# add_dynbatch_tool(name sources... [LINK_LIBS ...] [MLIR_LIBS ...])
function(add_dynbatch_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS} PARTIAL_SOURCES_INTENDED)
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  mlir_check_all_link_libraries(${name})
  dynbatch_set_install_rpath(${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
