# What tend has sh read in place of the user's $ENV, which is read first: it marks
# prompts (OSC 133) by PS1 and PS2, and nothing else is changed.
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
