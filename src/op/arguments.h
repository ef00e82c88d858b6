#ifndef TEND_OP_ARGUMENTS_H
#define TEND_OP_ARGUMENTS_H

#include "op/conditions.h"

/*
 * Arguments that several declarations share: those of an operation in ops.def,
 * and of the step of a batch that asks for it in types.def.
 */
#define WAIT_ARGUMENTS \
	CONDITION_TYPES "seen:bool? echo:bool? after:number? " \
			"timeout:duration[0-604800000]?"
#define SNAPSHOT_ARGUMENTS \
	"format:format? scrollback:bool? cells:bool? hidden:bool? " \
	"since:number? last_command:bool? max_bytes:number[1-]?"
#define PROMPT_ARGUMENTS \
	"text:string[1-524288] profile:profile? force:bool? " \
	"timeout:duration[1-3600000]? key:string[1-128]?"
#define EXEC_ARGUMENTS \
	"command:string[1-65536]@observe timeout:duration[1-31536000000]? " \
	"max_output:number[0-2097152]? key:string[1-128]?"

#endif
