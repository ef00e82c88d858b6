#ifndef TEND_CMD_AGENT_REPLAYED_H
#define TEND_CMD_AGENT_REPLAYED_H

struct agent_profiles;
struct out;

/*
 * Replay an asciicast recording of an agent, and print each change of its
 * activity, its box, its version and all that they are read from.  `profile`
 * NULL: the first agent that the recording shows.  `version` NULL: as shown.
 * Returns the exit status.
 */
int replayed_print(struct out *out, const struct agent_profiles *all,
    const char *file, const char *profile, const char *version);

#endif
