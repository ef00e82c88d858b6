/*
 * All commands, in the order of the help.  See cmd.h.  Define CMD(name) and
 * include this file: it expands once for each command, then undefines CMD.
 */
#ifndef CMD
#define CMD(name)
#endif

CMD(run)
CMD(rerun)
CMD(ls)
CMD(info)
CMD(attach)
CMD(send)
CMD(wait)
CMD(prompt)
CMD(batch)
CMD(exec)
CMD(snapshot)
CMD(log)
CMD(mark)
CMD(env)
CMD(resize)
CMD(rename)
CMD(label)
CMD(signal)
CMD(stop)
CMD(kill)
CMD(destroy)
CMD(upgrade)
CMD(revive)
CMD(homes)
CMD(gc)
CMD(doctor)
CMD(mcp)
CMD(hub)
CMD(token)
CMD(share)
CMD(audit)
CMD(agent)
CMD(skill)
CMD(render)
CMD(version)

#undef CMD
