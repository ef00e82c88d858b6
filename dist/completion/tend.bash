# bash completion for tend.  tend itself lists the candidates: see
# `tend __complete` in src/cmd/line/complete.h.

# The words as tend would get them: bash splits --name=value at the sign, and
# keeps quotes and ~.  _tend_at has the index of each in COMP_WORDS.
_tend_words() {
	local i word

	_tend_given=() _tend_at=()
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=${word:0:${#1}}
		word=${word//[\"\'\\]/}
		if ((i > 1)) && [[ $word == "=" || ${COMP_WORDS[i - 1]} == "=" ]]; then
			_tend_given[-1]+=${word/#\~\//$HOME/}
		else
			_tend_given+=("${word/#\~\//$HOME/}")
			_tend_at+=("$i")
		fi
	done
}

# Complete the arguments of a program: with bash-completion if it is loaded,
# otherwise a command name and then files.
_tend_program() {
	local at=${_tend_at[$1]}

	if declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	elif ((at == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
	fi
}

_tend() {
	local cur=$2 line before _tend_given _tend_at

	COMPREPLY=()
	[[ $cur != "=" ]] || cur=
	_tend_words "$2"
	before=${_tend_given[-1]%"$cur"}
	while IFS=$'\t' read -r line _; do
		case $line in
		:dirs | :files)
			compopt -o filenames
			[[ $line == :files ]] && line=-f || line=-d
			mapfile -t COMPREPLY < <(compgen "$line" -- "$cur")
			;;
		:command\ *) _tend_program "${line#* }" "$cur" ;;
		*) COMPREPLY+=("${line#"$before"}") ;;
		esac
	done < <("${1/#\~\//$HOME/}" __complete "${_tend_given[@]}" 2>/dev/null)
}

complete -F _tend tend
