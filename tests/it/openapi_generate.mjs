// Generates a client from the description of a hub:
//	openapi_generate.mjs OPENAPI.JSON DIRECTORY
import { createClient } from '@hey-api/openapi-ts';

const [, , input, path] = process.argv;

await createClient({
	input,
	output: { path, module: { extension: '.ts' } },
	plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
	logs: { level: 'silent', file: false },
});
