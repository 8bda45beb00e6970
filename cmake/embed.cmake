# Turns text files into one C source that defines TABLE, declared in HEADER: an array of TYPE, {name, text}
# each, ended by NULLs:
#   cmake -DOUTPUT=scripts.c "-DINPUTS=a.gp;b.gp" -DHEADER=figures.h -DTYPE=figure_script -DTABLE=figure_scripts
#         -P embed.cmake
# Bytes, not string literals: nothing to escape, and no limit on their length.
cmake_minimum_required(VERSION 3.25)

set(arrays "")
set(rows "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name "${input}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" symbol)
  file(READ "${input}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n   " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" " 0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char ${symbol}[] = {\n   ${bytes} 0};\n\n")
  string(APPEND rows "    {\"${name}\", (const char *)${symbol}},\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by embed.cmake. */\n#include \"${HEADER}\"\n\n${arrays}"
     "const ${TYPE} ${TABLE}[] = {\n${rows}    {NULL, NULL},\n};\n")
