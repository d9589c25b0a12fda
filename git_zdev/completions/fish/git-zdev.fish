# fish completion for git-zdev, both as `git zdev` and alone.

function __git_zdev_answer
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    switch $words[1]
        case git
            set -l place (contains --index -- zdev $words)
            or return
            set words $words[(math $place + 1)..-1]
        case '*'
            set words $words[2..-1]
    end
    for line in (command git-zdev __complete $words $current 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :branches
                command git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null
            case '*'
                echo $line
        end
    end
end

complete --command git-zdev --no-files --arguments '(__git_zdev_answer)'
complete --command git --condition '__fish_seen_subcommand_from zdev' --no-files --arguments '(__git_zdev_answer)'
