# Completion of kota for fish: the program itself says what may come next.

function __kota_complete
    set -l words (commandline -opc)
    kota complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end

complete -c kota -f -a '(__kota_complete)'
