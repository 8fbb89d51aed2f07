# Tests native/cmake/patches.cmake: `cmake -DSCRATCH=folder -P patches_test.cmake`. With -DCASE=refused it is the build
# that must stop.

cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../../native/cmake/patches.cmake")

set(source "${SCRATCH}/source")
set(into "${SCRATCH}/into")
set(fits "${SCRATCH}/1-it-fits.patch")
set(differs "${SCRATCH}/2-it-differs.patch")
set(lacks "${SCRATCH}/3-it-lacks-a-file.patch")

if(CASE STREQUAL "refused")
  inkling_apply_patches(SOURCE "${source}" INTO "${into}" PATCHES "${fits}" "${differs}" REQUIRED
    APPLIED applied FILES files)
  return()
endif()

function(expect what actual expected)
  if(NOT actual STREQUAL expected)
    message(SEND_ERROR "${what}: expected '${expected}', got '${actual}'")
  endif()
endfunction()

# The second file has the line ends of Windows, as a checkout there may have.
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${source}/some/one.c" "a\nb\nc\n")
file(WRITE "${source}/some/two.c" "a\r\nb\r\nc\r\n")
file(WRITE "${fits}" "Why: a test.\n\n--- a/some/one.c\n+++ b/some/one.c\n@@ -1,3 +1,3 @@\n a\n-b\n+changed\n c\n"
  "--- a/some/two.c\n+++ b/some/two.c\n@@ -1,3 +1,3 @@\n a\n-b\n+changed\n c\n")
file(WRITE "${differs}" "Why: a test.\n\n--- a/some/one.c\n+++ b/some/one.c\n@@ -1,3 +1,3 @@\n other\n-text\n+changed\n c\n")
file(WRITE "${lacks}" "Why: a test.\n\n--- a/some/three.c\n+++ b/some/three.c\n@@ -1 +1 @@\n-a\n+b\n")

inkling_apply_patches(SOURCE "${source}" INTO "${into}" PATCHES "${fits}" "${differs}" "${lacks}"
  APPLIED applied FILES files)
expect("only what fits is applied" "${applied}" "${fits}")
expect("the changed files" "${files}" "some/one.c;some/two.c")
file(READ "${into}/some/one.c" text)
expect("the copy" "${text}" "a\nchanged\nc\n")
file(READ "${source}/some/one.c" text)
expect("the source" "${text}" "a\nb\nc\n")
file(READ "${into}/some/two.c" text)
string(REPLACE "\r" "" text "${text}")
expect("the copy with line ends of Windows" "${text}" "a\nchanged\nc\n")

# What includes a changed header must find the changed one, also through another header.
file(WRITE "${source}/more/own.h" "a\nb\nc\n")
file(WRITE "${source}/more/through.h" "#include \"own.h\"\n")
file(WRITE "${source}/more/direct.cpp" "#include \"own.h\"\n")
file(WRITE "${source}/more/below/indirect.cpp" "#include \"../through.h\"\n")
file(WRITE "${source}/more/other.cpp" "#include \"another_own.h\"\n#include <own.h>\n")
set(changes_header "${SCRATCH}/4-it-changes-a-header.patch")
file(WRITE "${changes_header}" "Why: a test.\n\n--- a/more/own.h\n+++ b/more/own.h\n@@ -1,3 +1,3 @@\n a\n-b\n+changed\n c\n")
inkling_apply_patches(SOURCE "${source}" INTO "${into}" PATCHES "${changes_header}" REQUIRED APPLIED applied FILES files)
list(SORT files)
expect("a changed header takes along what includes it" "${files}"
  "more/below/indirect.cpp;more/direct.cpp;more/own.h;more/through.h")
file(READ "${into}/more/direct.cpp" text)
expect("the copy of what includes it" "${text}" "#include \"own.h\"\n")

# A file whose text is the same keeps its time, so that nothing is compiled again.
file(TIMESTAMP "${into}/some/one.c" before "%s")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
inkling_apply_patches(SOURCE "${source}" INTO "${into}" PATCHES "${fits}" REQUIRED APPLIED applied FILES files)
file(TIMESTAMP "${into}/some/one.c" after "%s")
expect("the time of the copy" "${after}" "${before}")

inkling_patch_definition("${fits}" definition)
expect("the definition" "${definition}" "INKLING_PATCH_IT_FITS")

inkling_called_kernels(called PATCHES ${fits} KERNELS one 1-it-fits.patch two 2-it-differs.patch three 1-it-fits.patch)
expect("the kernels that an applied patch calls" "${called}" "one;three")
inkling_called_kernels(called PATCHES KERNELS one 1-it-fits.patch)
expect("the kernels without a patch" "${called}" "")

execute_process(COMMAND "${CMAKE_COMMAND}" "-DSCRATCH=${SCRATCH}" -DCASE=refused -P "${CMAKE_CURRENT_LIST_FILE}"
  RESULT_VARIABLE result ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "2-it-differs.patch does not apply")
  message(SEND_ERROR "a patch that does not apply to the pinned source must stop the build: ${result}\n${output}")
endif()
