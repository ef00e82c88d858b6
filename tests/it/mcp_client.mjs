// The official MCP client behind lines of JSON.
//
//   mcp_client.mjs SDK COMMAND [ARGUMENT...]
//
// SDK is "v1" (@modelcontextprotocol/sdk) or "v2"
// (@modelcontextprotocol/client).
//  In:  {"call": NAME, "arguments": {...}, "abort": ms?} or {"list": true}.
//  Out: first {"server", "instructions"}, then for each line, in order,
//       {"result": ...} or {"error": ...}.
//
// The client checks every result against the server's schemas.

import readline from 'node:readline';

const packages = {
	v1: ['@modelcontextprotocol/sdk/client/index.js',
		'@modelcontextprotocol/sdk/client/stdio.js'],
	v2: ['@modelcontextprotocol/client',
		'@modelcontextprotocol/client/stdio'],
};

const [sdk, command, ...args] = process.argv.slice(2);
const { Client } = await import(packages[sdk][0]);
const { StdioClientTransport } = await import(packages[sdk][1]);

const say = (object) => process.stdout.write(JSON.stringify(object) + '\n');

function call(client, message) {
	const options = {};
	if (message.abort !== undefined)
		options.timeout = message.abort;
	const params = { name: message.call, arguments: message.arguments };
	return sdk === 'v1' ? client.callTool(params, undefined, options)
		: client.callTool(params, options);
}

async function answer(client, message) {
	try {
		const result = message.list ? await client.listTools()
			: await call(client, message);
		say({ result });
	} catch (error) {
		say({ error: String(error?.message ?? error) });
	}
}

const client = new Client({ name: 'tend-tests', version: '1' });
await client.connect(new StdioClientTransport({
	command, args, env: { ...process.env }, stderr: 'inherit' }));
say({ server: client.getServerVersion(),
	instructions: client.getInstructions() });
for await (const line of readline.createInterface({ input: process.stdin }))
	await answer(client, JSON.parse(line));
await client.close();
