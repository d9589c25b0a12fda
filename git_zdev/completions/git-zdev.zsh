#compdef git-zdev
#description a plan beside the code, and work context that can be trusted

# zsh completion for git-zdev: zsh's own git completion calls it for `git zdev` too.

_git-zdev () {
	local line value description
	local -a described
	local -a typed=("${(@)words[2,CURRENT]}")
	typed[-1]=$PREFIX
	for line in "${(@f)$(command git-zdev __complete "${(@)typed}" 2>/dev/null)}"; do
		[[ -n $line ]] || continue
		value=${line%%$'\t'*}
		description=${line#*$'\t'}
		case $value in
		:files)
			_files
			;;
		:branches)
			described+=("${(@f)$(command git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null)}")
			;;
		*)
			if [[ $line == *$'\t'* ]]; then
				described+=("${value//:/\\:}:$description")
			else
				described+=("${value//:/\\:}")
			fi
			;;
		esac
	done
	(( $#described )) && _describe -t git-zdev 'git zdev' described
}

_git-zdev "$@"
