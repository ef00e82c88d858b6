# fish completion for tend.  tend itself lists the candidates: see
# `tend __complete` in src/cmd/line/complete.h.

function __tend_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	set -l before (string match -r -- '^--[^=]*=' $word)

	for line in ($words[1] __complete $words[2..-1] "$word" 2>/dev/null)
		switch $line
			case :dirs
				string replace -r -- '^' "$before" \
					(__fish_complete_directories (string replace -- "$before" '' $word) '')
			case :files
				string replace -r -- '^' "$before" \
					(__fish_complete_path (string replace -- "$before" '' $word) '')
			case ':command *'
				set -l first (math (string split ' ' $line)[2] + 2)
				complete -C "$(string join ' ' -- (string escape -- $words[$first..-1]) "$word")"
			case '*'
				echo $line
		end
	end
end

complete -c tend -f -a '(__tend_complete)'
