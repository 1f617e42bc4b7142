import { readFileSync, writeFileSync } from 'node:fs';
import { createOpenApi } from '../lib/contract/openapi.ts';
import { routes } from '../lib/contract/routes.ts';

/** Writes openapi.json from the routing table; with `--check` it only says whether the file is stale. */
const file = new URL('../openapi.json', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const text = `${JSON.stringify(createOpenApi(routes, version), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('openapi.json is stale: run `npm run openapi` and commit the result');
  process.exitCode = 1;
}
