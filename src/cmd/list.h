/*
 * Every command, in the order in which help shows them.  See cmd.h.  Define
 * CMD(name) and include this: it is said once for each, and then forgotten.
 */
#ifndef CMD
#define CMD(name)
#endif

CMD(render)
CMD(version)

#undef CMD
