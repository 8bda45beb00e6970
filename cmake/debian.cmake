# Run by cpack on what it is about to pack: manual pages are compressed, and each package gets its licence and a changelog.
function(compress file)
  execute_process(COMMAND gzip -9 -n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(pair ${CPACK_ZILCH_DOCUMENTS})
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  file(GLOB pages ${root}/share/man/man1/*.1)
  foreach(page ${pages})
    compress(${page})
  endforeach()
  if(EXISTS ${root}/share/zsh/site-functions) # Debian's zsh looks elsewhere
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
  set(documents ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(COPY_FILE ${CPACK_ZILCH_SOURCE_DIR}/LICENSE ${documents}/copyright)
  file(WRITE ${documents}/changelog
    "zilch (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md of the sources tells what is new.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
  compress(${documents}/changelog)
endforeach()
