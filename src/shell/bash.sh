# What tend has bash read in place of ~/.bashrc, which is read first: it marks
# prompts and commands (OSC 133), and nothing else is changed.  A login shell
# comes here from its first PROMPT_COMMAND.
if ! shopt -q login_shell && [ -r ~/.bashrc ]; then
	# shellcheck source=/dev/null
	. ~/.bashrc
fi

# Before anything else is printed after a command.  To /dev/tty, for somebody
# may have sent the output of the shell elsewhere.
__tend_done() {
	local status=$?
	builtin printf '\033]133;D;%s;tend=@KEY@\007' "$status" >/dev/tty
	__tend_told=$status
	return "$status"
}

# The last thing before a prompt is shown, for others set PS1 anew each time, or
# put their own PROMPT_COMMAND in place of what comes before.
__tend_mark() {
	local status=$?
	if [[ -z ${__tend_told-} ]]; then
		__tend_return "$status"
		__tend_done
	fi
	unset -v __tend_told
	case ${PS1-} in
	*tend=@KEY@*) ;;
	*) PS1='\[\e]133;A;tend=@KEY@\a\]'${PS1-}'\[\e]133;B;tend=@KEY@\a\]' ;;
	esac
	case ${PS2-} in
	*tend=@KEY@*) ;;
	*) PS2='\[\e]133;P;tend=@KEY@\a\]'${PS2-} ;;
	esac
	case ${PS0-} in
	*tend=@KEY@*) ;;
	*) PS0=${PS0-}'\e]133;C;tend=@KEY@\a' ;;
	esac
}

__tend_return() {
	return "$1"
}

# Where there is a DEBUG trap, it is not to be called between the user's last
# PROMPT_COMMAND and the next command: many tell the one from the other by that.
# Functions do not inherit it, so all is done inside of one.
__tend_around() {
	local __tend_status=$? __tend_one
	__tend_return "$__tend_status"
	__tend_done
	for __tend_one in "${__tend_commands[@]}"; do
		__tend_return "$__tend_status"
		builtin eval "$__tend_one"
	done
	__tend_return "$__tend_status"
	__tend_mark 2>/dev/null
}

# In braces, so that set -x shows none of it; behind ||, set -e ends nothing.
__tend_install() {
	local first='{ __tend_done || :; } 2>/dev/null'
	local last='{ __tend_mark || :; } 2>/dev/null'
	local login=@LOGIN@

	if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
		local kept=() one
		for one in "${PROMPT_COMMAND[@]}"; do
			one=${one//"$login"/:}
			kept+=("$one")
		done
		unset PROMPT_COMMAND
		if [[ -n $1 && -z ${__bp_imported-}${bash_preexec_imported-} ]]; then
			__tend_commands=("${kept[@]}")
			PROMPT_COMMAND=('__tend_around || :')
		else
			PROMPT_COMMAND=("$first" "${kept[@]}" "$last")
		fi
	else
		# What follows is to see the status: bash does not keep it then.
		first='{ __tend_done; } 2>/dev/null'
		# shellcheck disable=SC2178,SC2128
		local string=${PROMPT_COMMAND-}
		string=${string//"$login"/:}
		unset PROMPT_COMMAND
		# shellcheck disable=SC2178
		PROMPT_COMMAND=$first${string:+$'\n'$string}$'\n'$last
	fi
	__tend_told=0
	__tend_mark
}
__tend_install "$(trap -p DEBUG)"
unset -f __tend_install
