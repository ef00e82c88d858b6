// Validates a description (OpenAPI 3.1) on standard input, and prints the result
// as JSON: {"valid", "version", "errors"}.
import { Validator } from '@seriousme/openapi-schema-validator';

const parts = [];
for await (const part of process.stdin)
	parts.push(part);
const validator = new Validator();
const { valid, errors } =
	await validator.validate(JSON.parse(Buffer.concat(parts).toString()));
// It follows every $ref, and throws if one leads nowhere.
validator.resolveRefs();
console.log(JSON.stringify({ valid, version: validator.version, errors }));
