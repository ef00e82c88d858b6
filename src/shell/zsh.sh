# tend makes zsh read this file instead of the user's .zshenv, which it reads at
# the end; zsh then reads the user's other files.  It marks prompts and commands
# (OSC 133) and changes nothing else.
@RESTORE@
if [[ -o interactive ]]; then
	# These functions run with the default options of zsh, from their first
	# command on, whatever the user has set.  Options that they change are
	# restored when they return, so lasting changes are made further below.
	builtin emulate -R zsh -c '
		__tend_put() {
			if (( ! $+functions[builtin] )); then
				builtin printf "\033]133;%s;tend=@KEY@\007" "$1" ||
					builtin echo -n "\0033]133;$1;tend=@KEY@\0007"
			elif (( ! $+functions[printf] )); then
				printf "\033]133;%s;tend=@KEY@\007" "$1"
			elif (( ! $+functions[echo] )); then
				echo -n "\0033]133;$1;tend=@KEY@\0007"
			else
				/usr/bin/printf "\033]133;%s;tend=@KEY@\007" "$1"
			fi >/dev/tty 2>/dev/null
		}

		# Runs before any other output after a command, unless the user
		# has defined a precmd since, which zsh calls first.
		__tend_done() {
			__tend_put "D;$?${functions[precmd]:+;rough}"
		}

		__tend_prompt() {
			__tend_put A
		}

		__tend_show_line() {
			case ${CONTEXT-} in
			start) __tend_put B ;;
			cont) __tend_put P ;;
			esac
		}

		# Print the mark of zsh for an unfinished line (PROMPT_SP).
		__tend_show_eol() {
			local __tend_eol="${PROMPT_EOL_MARK-%B%S%#%s%b}"
			local __tend_wide=$(( ${#__tend_eol} > 0 ))
			builtin print -rn -- "${(%)__tend_eol}"
			builtin printf "%*s\r%*s\r" $(( COLUMNS - __tend_wide )) "" \
				$__tend_wide ""
		}

		__tend_is_about_eol() {
			[[ ${(L)1//_/} == *promptsp* ]]
		}

		# True if there are traps that these functions trigger too.
		__tend_is_trapped() {
			[[ -n ${functions[TRAPDEBUG]-} ||
				"$(builtin trap 2>/dev/null)" == *DEBUG* ]]
		}

		# Keep the wrapper that tend types out of the history.
		__tend_history() {
			[[ "$1" != " \\eval "*"tend="* ]]
		}

		# Runs once the user'\''s files have been read.
		__tend_start() {
			precmd_functions=(${precmd_functions:#__tend_start} __tend_prompt)
			# zsh calls a function of this name before all others.
			if (( $+functions[precmd] )); then
				functions[__tend_user_precmd]=$functions[precmd]
				unset "functions[precmd]"
				precmd_functions=(__tend_user_precmd $precmd_functions)
			fi
			precmd_functions=(__tend_done __tend_eol $precmd_functions)
			preexec_functions+=(__tend_begin)
			zshaddhistory_functions+=(__tend_history)
			__tend_hook line-init __tend_line
			__tend_hook line-finish __tend_entered
			__tend_prompt
			unset "functions[__tend_start]" "functions[__tend_hook]"
		}

		# Our widget calls the existing one first.  If a hook of
		# add-zle-hook-widget exists, ours is added to it.
		__tend_hook() {
			if [[ ${widgets[zle-$1]-} == user:azhw:* ]]; then
				add-zle-hook-widget $1 $2
				return
			fi
			if (( $+widgets[zle-$1] )); then
				zle -A zle-$1 __tend_user_$1
			else
				zle -N __tend_user_$1 __tend_nothing
			fi
			zle -N zle-$1 $2
		}

		__tend_nothing() {
		}
	'

	typeset -g __tend_sp=off

	# The prompt, or the continuation prompt, is complete.
	__tend_line() {
		if [[ ${WIDGET-} == zle-line-init ]]; then
			zle __tend_user_line-init || :
		fi
		__tend_show_line
	}

	# A line was entered, perhaps an empty one.  zsh prints PROMPT_SP before
	# it calls any hook, so the option is off until the mark is printed.
	__tend_entered() {
		if [[ ${WIDGET-} == zle-line-finish ]]; then
			zle __tend_user_line-finish || :
		fi
		if [[ ${CONTEXT-} == start || ${CONTEXT-} == cont ]]; then
			if [[ -o promptsp ]]; then
				typeset -g __tend_sp=on
				builtin unsetopt promptsp
			fi
		fi
	}

	# A command that sets this option finds it as the user left it.  With
	# the option on, PROMPT_SP follows the output before the mark.
	__tend_begin() {
		if [[ ${__tend_sp-} == on ]] && __tend_is_about_eol "${1-}"; then
			typeset -g __tend_sp=off
			builtin setopt promptsp
		fi
		if [[ -o promptsp ]] || __tend_is_trapped; then
			__tend_put 'C;rough'
		else
			__tend_put C
		fi
	}

	__tend_eol() {
		if [[ ${__tend_sp-} == on ]]; then
			typeset -g __tend_sp=off
			builtin setopt promptsp
			__tend_show_eol
		fi
	}

	precmd_functions+=(__tend_start)
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	builtin source -- "${ZDOTDIR-$HOME}/.zshenv"
fi
