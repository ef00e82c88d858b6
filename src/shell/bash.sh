# What tend has bash read in place of ~/.bashrc, which is read too: it marks
# prompts and commands (OSC 133), and nothing else is changed.  A login shell
# comes here from its first PROMPT_COMMAND.
#
# Users have options, aliases, functions and traps of their own.  So functions
# are defined before their file is read, names of commands are quoted, and the
# mark that ends a command's output is printed by a subshell: bash calls no
# DEBUG trap for it, and may forget there what the user made of builtins.

# The status of a command, before anything else is printed: D.  In POSIX mode
# no function hides `unset`, `set` and `trap`, of which only the last tells of a
# trap that is not there, without quotes.  To /dev/tty, for somebody may
# have sent the output of the shell elsewhere.  A trap or a trace that goes
# elsewhere too may have told of this already: it says `rough` then.
__tend_done() {
	POSIXLY_CORRECT=1
	\unset -f builtin command printf trap
	case $- in
	*T*) [[ $(\trap -p DEBUG) != *\'* ]] || \set -- "$1;rough" "${2-}" ;;
	esac
	case $-${BASH_XTRACEFD:+=} in
	*x*= | *v*=) \set -- "$1;rough" "${2-}" ;;
	*v*) [[ -z ${2-} ]] || \set -- "$1;rough" "$2" ;;
	esac
	\builtin printf '\033]133;D;%s;tend=@KEY@\007' "$1" >/dev/tty ||
		\command -p printf '\033]133;D;%s;tend=@KEY@\007' "$1" >/dev/tty ||
		/usr/bin/printf '\033]133;D;%s;tend=@KEY@\007' "$1" >/dev/tty
	return "${2:-0}"
}

# The last thing before a prompt is shown, for others set PS1 anew each time, or
# put their own PROMPT_COMMAND in place of what prints D.  The mark A has the
# status as well, for when nothing here is called any more.
__tend_mark() {
	case ${PROMPT_COMMAND[0]-} in
	@DONE@*) ;;
	*) (__tend_done "$1;rough") >/dev/null 2>&1 ;;
	esac
	case ${PS1-} in
	*tend=@KEY@*) ;;
	*) PS1='\[\e]133;A;err=$?;tend=@KEY@\a\]'${PS1-}'\[\e]133;B;tend=@KEY@\a\]' ;;
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
	for __tend_one in "${__tend_commands[@]}"; do
		__tend_return "$1"
		\eval "$__tend_one"
	done
	__tend_return "$1"
	__tend_mark "$1" 2>/dev/null
}

# In braces, so that set -x shows none of it; behind ||, set -e ends nothing.
__tend_install() {
	if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
		__tend_commands=("${PROMPT_COMMAND[@]//@LOGIN@/:}")
		if [[ $1 == *\'* && -z ${__bp_imported-}${bash_preexec_imported-} ]]; then
			PROMPT_COMMAND=(@DONE@ '__tend_around "$?" || :')
		else
			PROMPT_COMMAND=(@DONE@ "${__tend_commands[@]}"
				'{ __tend_mark "$?" || :; } 2>/dev/null')
		fi
	else
		# What follows is to see the status: bash does not keep it then.
		# shellcheck disable=SC2178,SC2128
		__tend_commands=${PROMPT_COMMAND-}
		# shellcheck disable=SC2178,SC2128
		__tend_commands=${__tend_commands//@LOGIN@/:}
		# shellcheck disable=SC2178,SC2128
		PROMPT_COMMAND='( __tend_done "$?" "$?" ) >/dev/null 2>&1'${__tend_commands:+$'\n'$__tend_commands}$'\n''{ __tend_mark "$?" || :; } 2>/dev/null'
	fi
	__tend_mark 0
}

# shellcheck source=/dev/null
if ! \shopt -q login_shell && [ -r ~/.bashrc ]; then . ~/.bashrc; fi
\__tend_install "$(POSIXLY_CORRECT=1; \trap -p DEBUG)"
