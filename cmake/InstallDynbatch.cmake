# What `cmake --install` writes beside libraries and tools: headers, and the
# CMake package. Used by the whole project and by the runtime alone, which then
# is the package's only component.

include(CMakePackageConfigHelpers)
set(DYNBATCH_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/dynbatch)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/DynbatchConfig.cmake.in
  ${PROJECT_BINARY_DIR}/DynbatchConfig.cmake
  INSTALL_DESTINATION ${DYNBATCH_INSTALL_CMAKEDIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/DynbatchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/DynbatchConfig.cmake
  ${PROJECT_BINARY_DIR}/DynbatchConfigVersion.cmake
  DESTINATION ${DYNBATCH_INSTALL_CMAKEDIR} COMPONENT DynbatchRuntime)
install(EXPORT DynbatchRuntimeTargets NAMESPACE dynbatch::
  DESTINATION ${DYNBATCH_INSTALL_CMAKEDIR} COMPONENT DynbatchRuntime)
if(TARGET Dynbatch)
  install(EXPORT DynbatchTargets NAMESPACE dynbatch::
    DESTINATION ${DYNBATCH_INSTALL_CMAKEDIR})
  install(DIRECTORY include/dynbatch include/dynbatch-c
    ${PROJECT_BINARY_DIR}/include/dynbatch
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
    PATTERN CMakeFiles EXCLUDE)
endif()
