// Checks what tools return against what they say they return.
//
// In:  {"tools": [...], "results": [{"tool": NAME, "value": {...}}, ...]}
// Out: a line for each that is not as its schema says; nothing is well.
//
// The schemas must be valid themselves and name every field: an unknown one is
// an error here, though for a client it is not.

import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// The validator of the official SDK, whatever others there are.
const sdk = createRequire(import.meta.resolve('@modelcontextprotocol/sdk/client'));
const { Ajv2020 } = sdk('ajv/dist/2020.js');

function close(schema) {
	if (schema.properties)
		schema.additionalProperties = false;
	for (const inner of Object.values(schema.properties ?? {}))
		close(inner);
	if (schema.items)
		close(schema.items);
	return schema;
}

const { tools, results } = JSON.parse(await text(process.stdin));
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
const checks = {};
for (const { name, inputSchema, outputSchema } of tools) {
	ajv.compile(inputSchema);
	checks[name] = ajv.compile(close(outputSchema));
}
for (const { tool, value } of results)
	if (!checks[tool](value))
		console.log(tool, ajv.errorsText(checks[tool].errors),
			JSON.stringify(value).slice(0, 400));
