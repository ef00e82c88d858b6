// Checks the arguments of calls against the schemas of their tools.
//
//  In:  {"tools": [...], "calls": [{"tool": NAME, "arguments": {...}}, ...]}
//  Out: a line for each call that does not match its schema; nothing if all do.
//
// The schemas must be valid themselves.

import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// The validator of the official SDK, whatever others there are.
const sdk = createRequire(import.meta.resolve('@modelcontextprotocol/sdk/client'));
const { Ajv2020 } = sdk('ajv/dist/2020.js');

const { tools, calls } = JSON.parse(await text(process.stdin));
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
const checks = {};
for (const { name, inputSchema } of tools)
	checks[name] = ajv.compile(inputSchema);
for (const { tool, arguments: given } of calls)
	if (!checks[tool](given))
		console.log(tool, ajv.errorsText(checks[tool].errors),
			JSON.stringify(given).slice(0, 400));
