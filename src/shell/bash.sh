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
	return "$status"
}

# The last thing before a prompt is shown, for others set PS1 anew each time.
__tend_mark() {
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
		PROMPT_COMMAND=("$first" "${kept[@]}" "$last")
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
	__tend_mark
}
__tend_install
unset -f __tend_install
