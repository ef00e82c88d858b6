# What tend has fish read before the user's files: it marks prompts and commands
# (OSC 133), and nothing else is changed.
@RESTORE@
if status is-interactive
	function __tend_begin --on-event fish_preexec
		printf '\e]133;C;tend=@KEY@\a'
	end

	function __tend_done --on-event fish_postexec
		printf '\e]133;D;%s;tend=@KEY@\a' $status
		set -g __tend_told
	end

	function __tend_keep_status
		return $argv[1]
	end

	# Around the prompt that the user's files have made by then, and around
	# whatever takes its place later.
	function __tend_prompt --on-event fish_prompt
		# After an empty line or a comment, there was no fish_postexec.
		set -q __tend_told
		or printf '\e]133;D;%s;tend=@KEY@\a' $status
		set -e __tend_told
		functions -q fish_prompt
		and functions fish_prompt | string match -q '*__tend_user_prompt*'
		and return
		functions -e __tend_user_prompt
		functions -c fish_prompt __tend_user_prompt
		function fish_prompt
			# It is to find the statuses as they were.
			set -l __tend_status $pipestatus
			printf '\e]133;A;tend=@KEY@\a'
			# Without the line break at its end, as fish would have it.
			printf '%s\e]133;B;tend=@KEY@\a' (
				eval (string join ' | ' -- '__tend_keep_status '$__tend_status)
				__tend_user_prompt | string collect)
		end
	end
end
