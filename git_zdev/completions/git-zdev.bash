# bash completion for git-zdev, both as `git zdev` (Git's own completion calls _git_zdev) and alone.

# Arguments: the words behind zdev. `call` in the caller holds the program that answers.
__git_zdev_answer ()
{
	local line value IFS=$'\n'
	local -a answers=()
	COMPREPLY=()
	for line in $(command "${call[@]}" __complete "$@" 2>/dev/null); do
		value=${line%%$'\t'*}
		case "$value" in
		:files)
			answers+=($(compgen -f -- "${*: -1}"))
			compopt -o filenames 2>/dev/null
			;;
		:branches)
			answers+=($(command "${call[@]:0:${#call[@]}-1}" for-each-ref --format='%(refname:short)' \
				"refs/heads/${*: -1}*" "refs/heads/${*: -1}*/**" 2>/dev/null))
			;;
		*)
			answers+=("$value")
			;;
		esac
	done
	COMPREPLY=("${answers[@]}")
}

# bash splits words at `=`, so `--option=value` arrives in three words: join what belongs together,
# and answer only with what stands behind the `=`.
__git_zdev_complete ()
{
	local first=$1 index word
	local -a joined=()
	for ((index = first; index <= COMP_CWORD; index++)); do
		word=${COMP_WORDS[index]}
		if [[ $word == = && ${#joined[@]} -gt 0 && ${joined[-1]} == --* ]]; then
			joined[-1]+==
		elif [[ ${#joined[@]} -gt 0 && ${joined[-1]} == --*= ]]; then
			joined[-1]+=$word
		else
			joined+=("$word")
		fi
	done
	__git_zdev_answer "${joined[@]}"
	if [[ ${joined[-1]} == --*=* && $COMP_WORDBREAKS == *=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#*=}")
	fi
}

# Called by Git's completion, which has read the line as `git [option…] zdev word…`.
_git_zdev ()
{
	local index
	for ((index = 1; index < COMP_CWORD; index++)); do
		if [[ ${COMP_WORDS[index]} == zdev ]]; then
			# With the options before it, so that -C and --git-dir lead to the right plan.
			local -a call=(git "${COMP_WORDS[@]:1:index-1}" zdev)
			__git_zdev_complete $((index + 1))
			return
		fi
	done
}

__git_zdev_alone ()
{
	local -a call=(git zdev)
	__git_zdev_complete 1
}

complete -F __git_zdev_alone git-zdev
