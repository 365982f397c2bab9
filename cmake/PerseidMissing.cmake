# What tests need and this machine lacks. By default such tests are left out, with a line about it;
# in the presets of tests/run.sh a missing package is an error, or a machine without it would be green.
option(PERSEID_REQUIRE_ALL "A package that tests need and that is missing is an error" OFF)

# perseid_missing(WHAT PACKAGES LEFT_OUT): WHAT was not found, Debian has it in PACKAGES.
function(perseid_missing what packages left_out)
  if(PERSEID_REQUIRE_ALL)
    # Not fatal at once: all that is missing is listed.
    message(SEND_ERROR "${what} was not found, and PERSEID_REQUIRE_ALL is ON. Debian has it:\n"
                       "  apt-get install ${packages}")
  else()
    message(STATUS "${what} was not found (Debian: ${packages}): ${left_out} is left out")
  endif()
endfunction()

# perseid_need_program(PACKAGE PROGRAM...): for tests that find these programs when they run.
function(perseid_need_program package)
  foreach(program ${ARGN})
    find_program(PERSEID_PROGRAM_${program} ${program} PATHS /usr/sbin /sbin)
    if(NOT PERSEID_PROGRAM_${program})
      perseid_missing(${program} ${package} "what needs it")
    endif()
  endforeach()
endfunction()
