# fish reads this file before the user's files.  It marks prompts and commands
# (OSC 133) and changes nothing else.  Users may have functions with the names
# of builtins.
@RESTORE@
if status is-interactive
	function __tend_begin --on-event fish_preexec
		builtin printf '\e]133;C;tend=@KEY@\a'
	end

	function __tend_done --on-event fish_postexec
		builtin printf '\e]133;D;%s;tend=@KEY@\a' $status
		set -g __tend_told
	end

	function __tend_keep_status
		return $argv[1]
	end

	# The end of a script from tend: the status, and the key of the run.  A
	# trace has printed this call before the mark.
	function __tend_end
		if builtin set -q fish_trace
			builtin printf '\e]133;D;%s;rough;tend=%s\a' $argv
		else
			builtin printf '\e]133;D;%s;tend=%s\a' $argv
		end
		return $argv[1]
	end

	# Wrap the prompt that the user's files have defined, and every later
	# replacement.
	function __tend_prompt --on-event fish_prompt
		# An empty line or a comment causes no fish_postexec.
		set -q __tend_told
		or builtin printf '\e]133;D;%s;tend=@KEY@\a' $status
		set -e __tend_told
		builtin functions -q fish_prompt
		and builtin functions fish_prompt | builtin string match -q '*__tend_user_prompt*'
		and return
		builtin functions -e __tend_user_prompt
		builtin functions -c fish_prompt __tend_user_prompt
		function fish_prompt
			# The prompt must find the statuses unchanged.
			set -l __tend_status $pipestatus
			builtin printf '\e]133;A;tend=@KEY@\a'
			# Drop the last line break, as fish does.
			builtin printf '%s\e]133;B;tend=@KEY@\a' (
				eval (builtin string join ' | ' -- '__tend_keep_status '$__tend_status)
				__tend_user_prompt | builtin string collect)
		end
	end
end
