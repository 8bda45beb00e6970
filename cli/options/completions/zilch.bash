# Completion of zilch for bash. The command itself knows its options: it is asked on every press of the tab key.

_zilch()
{
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' kind='' line
  # bash cuts "--method=ea" into three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; else previous=''; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
    elif [[ ${line%%$'\t'*} == "$current"* ]]; then
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <(zilch help --complete -- "$command" "$previous" "$current" 2>/dev/null)
  case $kind in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    programs) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
  esac
}

complete -F _zilch zilch
