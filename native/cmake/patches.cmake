# Applies our patches to copies of llama.cpp's files. The source tree stays as fetched.

# inkling_apply_patches(SOURCE folder INTO folder PATCHES file... [REQUIRED] APPLIED variable FILES variable)
#   INTO      gets the changed files, at their paths in SOURCE
#   REQUIRED  a patch that does not apply stops the build; otherwise it is skipped with a warning
#   APPLIED   the patches that apply
#   FILES     the changed files' paths within SOURCE
function(inkling_apply_patches)
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRED" "SOURCE;INTO;APPLIED;FILES" "PATCHES")
  find_program(INKLING_GIT git REQUIRED)
  # A file with unchanged text keeps its time, so that it is not compiled again.
  set(scratch "${arg_INTO}.scratch")
  file(REMOVE_RECURSE "${scratch}")
  file(MAKE_DIRECTORY "${scratch}" "${arg_INTO}")
  cmake_path(GET scratch PARENT_PATH above)

  set(applied "")
  set(files "")
  foreach(patch IN LISTS arg_PATCHES)
    file(STRINGS "${patch}" touched REGEX "^--- a/")
    list(TRANSFORM touched REPLACE "^--- a/" "")
    set(before "")
    foreach(file IN LISTS touched)
      cmake_path(GET file PARENT_PATH folder)
      if(NOT EXISTS "${scratch}/${file}" AND EXISTS "${arg_SOURCE}/${file}")
        file(COPY "${arg_SOURCE}/${file}" DESTINATION "${scratch}/${folder}")
      endif()
      inkling_text_hash("${scratch}/${file}" before)
    endforeach()

    # Inside a repository, git would resolve paths from its root and skip ours silently. So git must find no repository.
    # A patch that changes nothing counts as one that does not apply.
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env --unset=GIT_DIR --unset=GIT_WORK_TREE "GIT_CEILING_DIRECTORIES=${above}"
        "${INKLING_GIT}" -c core.autocrlf=false apply --ignore-whitespace --whitespace=nowarn "${patch}"
      WORKING_DIRECTORY "${scratch}"
      RESULT_VARIABLE result
      ERROR_VARIABLE problem)
    set(after "")
    foreach(file IN LISTS touched)
      inkling_text_hash("${scratch}/${file}" after)
    endforeach()
    if(result EQUAL 0 AND NOT before STREQUAL after)
      list(APPEND applied "${patch}")
      list(APPEND files ${touched})
      continue()
    endif()

    cmake_path(GET patch FILENAME name)
    string(STRIP "${problem}" problem)
    if(arg_REQUIRED)
      message(FATAL_ERROR "native/patches/${name} does not apply to ${arg_SOURCE}.\n${problem}\n"
                          "native/patches/README.md says how to renew a patch.")
    endif()
    message(WARNING "native/patches/${name} does not apply to ${arg_SOURCE}; it is left out.\n${problem}")
  endforeach()

  list(REMOVE_DUPLICATES files)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY "${arg_INTO}/${folder}")
    file(COPY_FILE "${scratch}/${file}" "${arg_INTO}/${file}" ONLY_IF_DIFFERENT)
  endforeach()
  file(REMOVE_RECURSE "${scratch}")
  set(${arg_APPLIED} "${applied}" PARENT_SCOPE)
  set(${arg_FILES} "${files}" PARENT_SCOPE)
endfunction()

# Appends the hash of a file's text, or "missing" if there is no such file.
function(inkling_text_hash file list)
  set(hash missing)
  if(EXISTS "${file}")
    file(SHA256 "${file}" hash)
  endif()
  set(${list} "${${list}};${hash}" PARENT_SCOPE)
endfunction()

# inkling_patch_definition(PATCH VARIABLE): 2-one-attention-path.patch sets INKLING_PATCH_ONE_ATTENTION_PATH.
function(inkling_patch_definition patch variable)
  cmake_path(GET patch STEM name)
  string(REGEX REPLACE "^[0-9]+-" "" name "${name}")
  string(REPLACE "-" "_" name "${name}")
  string(TOUPPER "INKLING_PATCH_${name}" name)
  set(${variable} "${name}" PARENT_SCOPE)
endfunction()

# inkling_called_kernels(VARIABLE PATCHES file... KERNELS (kernel patch)...): the kernels whose patch is among the files.
# Another ggml may lack what the others include.
function(inkling_called_kernels variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PATCHES;KERNELS")
  list(TRANSFORM arg_PATCHES REPLACE "^.*/" "")
  set(called "")
  while(arg_KERNELS)
    list(POP_FRONT arg_KERNELS kernel patch)
    if(patch IN_LIST arg_PATCHES)
      list(APPEND called ${kernel})
    endif()
  endwhile()
  set(${variable} "${called}" PARENT_SCOPE)
endfunction()
