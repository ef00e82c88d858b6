// Drives a session with a client that was generated from /openapi.json into the
// folder "generated" beside this file:
//	openapi_client.mts URL TOKEN
// Prints the results as JSON.  The types of the generated client are checked as
// well: a wrong name below does not compile.
import { client } from './generated/client.gen.ts';
import { sessionCreate, sessionExec, sessionGetQuery, sessionList, sessionSend,
	sessionSnapshot, sessionStop, sessionWait } from './generated/sdk.gen.ts';
import type { NamedSession, Problem, Session } from './generated/types.gen.ts';

declare const process: { argv: string[] };

const [, , baseUrl, token] = process.argv;
client.setConfig({ baseUrl, auth: (a) => a.scheme === 'bearer' ? token : undefined });

const must = { throwOnError: true } as const;
const made: Session | NamedSession = (await sessionCreate({ ...must,
	body: { command: ['sh'], name: 'generated', env: { PS1: '$ ' } } })).data;
const session = made.id;
await sessionWait({ ...must, body: { session, text: '$', timeout: '60s' } });
const body = { session, input: [{ text: "echo he''llo\r" }] };
const headers = { 'Idempotency-Key': 'generated' };
const sent = (await sessionSend({ ...must, body, headers })).data;
const again = (await sessionSend({ ...must, body, headers })).data;
const waited = (await sessionWait({ ...must,
	body: { session, text: 'hello', after: sent.seq, timeout: '60s' } })).data;
const screen = (await sessionSnapshot({ ...must, body: { session } })).data;
const done = (await sessionExec({ ...must,
	body: { session, command: 'echo out; false', timeout: '60s' } })).data;
const got = (await sessionGetQuery({ ...must, query: { session } })).data;
const stopped = (await sessionStop({ ...must,
	body: { session, grace: '10s', interrupt: true } })).data;
const listed = (await sessionList({ ...must, body: { all: true } })).data;
const failed = await sessionSnapshot({ body: { session: 'none' } });
const problem: Problem | undefined = failed.error;

console.log(JSON.stringify({ made, sent, again, waited, screen, done, got,
	stopped, listed, problem }));
