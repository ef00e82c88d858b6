# What tend has zsh read in place of the user's .zshenv, which is read next, as
# are the user's other files: it marks prompts and commands (OSC 133), and
# nothing else is changed.
@RESTORE@
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
	builtin source -- "${ZDOTDIR-$HOME}/.zshenv"
fi

if [[ -o interactive ]]; then
	# Before anything else is printed after a command; then what zsh itself
	# would have printed before (PROMPT_SP), had it not been told to wait.
	__tend_done() {
		__tend_status=$?
		builtin printf '\033]133;D;%s;tend=@KEY@\007' "$__tend_status" >/dev/tty
		if [[ ${__tend_sp-} == on ]]; then
			__tend_sp=off
			builtin setopt promptsp
			local __tend_eol="${PROMPT_EOL_MARK-%B%S%#%s%b}"
			local __tend_wide=$(( ${#__tend_eol} > 0 ))
			builtin print -rn -- "${(%)__tend_eol}"
			builtin printf '%*s\r%*s\r' $(( COLUMNS - __tend_wide )) '' \
				$__tend_wide ''
		fi
	} 2>/dev/null

	# A command that is about this option is left to decide.
	__tend_begin() {
		if [[ ${__tend_sp-} == on && ${(L)1//_/} == *promptsp* ]]; then
			__tend_sp=off
			builtin setopt promptsp
		fi
		builtin printf '\033]133;C;tend=@KEY@\007' >/dev/tty
	} 2>/dev/null

	__tend_prompt() {
		builtin printf '\033]133;A;tend=@KEY@\007' >/dev/tty
	} 2>/dev/null

	# The prompt is there, or the one that asks for more.
	__tend_line() {
		local __tend_kind=B
		if [[ ${CONTEXT-} == cont ]]; then
			__tend_kind=P
		fi
		if [[ ${CONTEXT-} == (start|cont) ]]; then
			builtin printf '\033]133;%s;tend=@KEY@\007' $__tend_kind >/dev/tty
		fi
	} 2>/dev/null

	# A line was entered, be there something to carry out in it or not.
	__tend_entered() {
		if [[ ${CONTEXT-} == (start|cont) && -o promptsp ]]; then
			__tend_sp=on
			builtin unsetopt promptsp
		fi
	} 2>/dev/null

	# What tend types in a wrapping is nothing to come back to.
	__tend_history() {
		[[ $1 != ' eval "$(printf %b '\''printf %b \0047\01340033'* ]]
	}

	# Once the user's files have been read.
	__tend_start() {
		precmd_functions=(${precmd_functions:#__tend_start} __tend_prompt)
		# One by this name comes before all others.
		if (( $+functions[precmd] )); then
			functions[__tend_user_precmd]=$functions[precmd]
			precmd() {
				__tend_done
				() { return $1 } $__tend_status
				__tend_user_precmd
			}
		else
			precmd_functions=(__tend_done $precmd_functions)
		fi
		preexec_functions+=(__tend_begin)
		zshaddhistory_functions+=(__tend_history)
		autoload -Uz add-zle-hook-widget
		add-zle-hook-widget line-init __tend_line
		add-zle-hook-widget line-finish __tend_entered
		__tend_prompt
		unfunction __tend_start
	}
	precmd_functions+=(__tend_start)
fi
