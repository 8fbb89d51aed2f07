# Applies our patches to copies of llama.cpp's files. The source tree stays as fetched.

# inkling_apply_patches(SOURCE folder INTO folder PATCHES file... [REQUIRED] APPLIED variable FILES variable)
#   INTO      gets these files, at their paths in SOURCE
#   REQUIRED  a patch that does not apply stops the build; otherwise it is skipped with a warning
#   APPLIED   the patches that apply
#   FILES     the paths within SOURCE of the changed files, and of those that include a changed header
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
  inkling_add_includers("${arg_SOURCE}" "${scratch}" files)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY "${arg_INTO}/${folder}")
    file(COPY_FILE "${scratch}/${file}" "${arg_INTO}/${file}" ONLY_IF_DIFFERENT)
  endforeach()
  file(REMOVE_RECURSE "${scratch}")
  set(${arg_APPLIED} "${applied}" PARENT_SCOPE)
  set(${arg_FILES} "${files}" PARENT_SCOPE)
endfunction()

# Copies the files of SOURCE that include one of the list's headers to SCRATCH, and appends them to the list. Where they
# are, they would find the unchanged header beside themselves.
function(inkling_add_includers source scratch list)
  set(files "${${list}}")
  set(headers "${files}")
  list(FILTER headers INCLUDE REGEX "\\.h$")
  while(headers)
    list(POP_FRONT headers header)
    cmake_path(GET header FILENAME name)
    cmake_path(GET header PARENT_PATH folder)
    string(REPLACE "." "\\." pattern "${name}")
    file(GLOB_RECURSE candidates RELATIVE "${source}" "${source}/${folder}/*.h" "${source}/${folder}/*.c*")
    foreach(file IN LISTS candidates)
      file(STRINGS "${source}/${file}" includes REGEX "^#include \"(.*/)?${pattern}\"" LIMIT_COUNT 1)
      if(includes AND NOT file IN_LIST files)
        cmake_path(GET file PARENT_PATH folder_of_file)
        file(COPY "${source}/${file}" DESTINATION "${scratch}/${folder_of_file}")
        list(APPEND files "${file}")
        if(file MATCHES "\\.h$")
          list(APPEND headers "${file}")
        endif()
      endif()
    endforeach()
  endwhile()
  set(${list} "${files}" PARENT_SCOPE)
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
