# fish completion for git-zdev, both as `git zdev` and alone.

function __git_zdev_words --description 'The words behind zdev, or behind an alias of Git for it'
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -g __git_zdev_call git # with the options that lead to another plan
    set -e words[1]
    while string match --quiet -- '-*' $words[1]
        switch $words[1]
            case -C --git-dir --work-tree
                set -a __git_zdev_call $words[1..2]
                set -e words[1..2]
            case -c --namespace
                set -e words[1..2]
            case '*'
                set -e words[1]
        end
    end
    for round in 1 2 3 4 5
        if test "$words[1]" = zdev
            test (count $words) -gt 1
            and printf '%s\n' $words[2..]
            return 0
        end
        # fish's completion of git has read the aliases: the command, and all that the alias says.
        set -l alias __fish_git_alias_(string escape --style=var -- "$words[1]")
        set -q $alias
        or return 1
        set -l meant (string split --no-empty ' ' -- $$alias[1][2])
        test "$meant[1]" = '!git'
        and set -e meant[1]
        set words $meant $words[2..]
    end
    return 1
end

function __git_zdev_refs --description 'The names of refs below the folders that are given'
    command git $__git_zdev_call[2..] for-each-ref --format='%(refname:lstrip=2)' $argv 2>/dev/null
end

function __git_zdev_answer
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l call git-zdev
    if test "$words[1]" = git
        set words (__git_zdev_words)
        or return
        set -q __git_zdev_call[2]
        and set call $__git_zdev_call zdev
    else
        # fish asks for every git-* program as if it had been typed alone, and forgets what an
        # alias says; the line of git itself is answered above.
        status stack-trace | string match --quiet '*__fish_git_complete_custom_command*'
        and return
        set -e words[1]
    end
    for line in (command $call __complete $words $current 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :branches
                __git_zdev_refs refs/heads
            case :revisions
                __git_zdev_refs refs/heads refs/tags refs/remotes
            case '*'
                echo $line
        end
    end
end

complete --command git-zdev --no-files --arguments '(__git_zdev_answer)'
complete --command git --condition '__git_zdev_words >/dev/null' --no-files --arguments '(__git_zdev_answer)'
