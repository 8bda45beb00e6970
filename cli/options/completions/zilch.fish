# Completion of zilch for fish. The command itself knows its options: it is asked on every press of the tab key.

function __zilch_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command ''
    set -l previous ''
    if test (count $words) -gt 1
        set command $words[2]
        set previous $words[-1]
    end
    set -l answer (command zilch help --complete -- "$command" "$previous" "$current" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' $current)
    set -l value (string replace -r -- '^--[^=]*=' '' $current)
    switch "$answer[1]"
        case files
            string join \n -- "$before"(__fish_complete_path "$value")
        case folders
            string join \n -- "$before"(__fish_complete_directories "$value" '')
        case programs
            string join \n -- "$before"(__fish_complete_command)
        case words
            string join \n -- $answer[2..-1]
    end
end

complete -c zilch -f -a '(__zilch_complete)'
