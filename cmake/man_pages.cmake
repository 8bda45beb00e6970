# The manual pages of the command and of each of its commands, as they print them:
#   cmake -DZILCH=PROGRAM -DFOLDER=FOLDER -P man_pages.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${ZILCH} help --complete OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+\t" names "${names}")
list(TRANSFORM names STRIP)
execute_process(COMMAND ${ZILCH} help --man OUTPUT_FILE ${FOLDER}/zilch.1 COMMAND_ERROR_IS_FATAL ANY)
foreach(name ${names})
  execute_process(COMMAND ${ZILCH} help --man ${name} OUTPUT_FILE ${FOLDER}/zilch-${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(TOUCH ${FOLDER}/made)
