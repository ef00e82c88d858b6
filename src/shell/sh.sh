# tend makes sh read this file instead of the user's $ENV, which it reads first.
# It marks prompts (OSC 133) with PS1 and PS2 and changes nothing else.
@RESTORE@
if [ -n "${ENV-}" ]; then
	__tend_env=$(eval "printf %s \"$ENV\"")
	if [ -r "$__tend_env" ]; then
		# shellcheck source=/dev/null
		. "$__tend_env"
	fi
	\unset __tend_env
fi
PS1='@OPEN@@ESC@]133;D;$?;tend=@KEY@@BEL@@ESC@]133;A;tend=@KEY@@BEL@@CLOSE@'"${PS1-\$ }"'@OPEN@@ESC@]133;B;tend=@KEY@@BEL@@CLOSE@'
PS2='@OPEN@@ESC@]133;P;tend=@KEY@@BEL@@CLOSE@'"${PS2-> }"
