# tend makes bash read this file instead of ~/.bashrc, which it reads in turn.
# It marks prompts and commands (OSC 133) and changes nothing else.  A login
# shell reads it from its first PROMPT_COMMAND.
#
# Users have their own options, aliases, functions and traps.  So this file
# defines its functions before it reads theirs, and quotes names of commands.  A
# subshell prints the mark that ends a command's output: bash calls no DEBUG
# trap for it, and the subshell can undo the user's redefinitions of builtins.

# Print D with a command's status, before any other output.  In POSIX mode no
# function can hide `unset`, `set` and `trap`; there `trap` also lists a trap
# that is not set, but without quotes.  The mark goes to /dev/tty, because the
# output of the shell may be redirected.  If a trap or a redirected trace may
# have printed something before the mark, the mark has `rough`.
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

# This runs last before a prompt, because other code may set PS1 each time or
# replace the PROMPT_COMMAND that prints D.  Mark A has the status too, in case
# nothing here is called any more.
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

# A DEBUG trap must not run between the user's last PROMPT_COMMAND and the next
# command, since many traps distinguish the two that way.  Functions do not
# inherit the trap, so everything happens inside one.
__tend_around() {
	for __tend_one in "${__tend_commands[@]}"; do
		__tend_return "$1"
		\eval "$__tend_one"
	done
	__tend_return "$1"
	__tend_mark "$1" 2>/dev/null
}

# The braces hide it from set -x; the || keeps set -e from ending the shell.
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
		# Later commands need the status, which this bash does not keep.
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
