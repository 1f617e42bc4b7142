import { readFileSync, writeFileSync } from 'node:fs';
import { costDocument } from './cost-document.ts';
import { readCounts } from './request-counts.ts';
import { synthesizedResources } from './templates.ts';

/** Writes docs/operate/cost.md from the synthesized templates, the counted requests and the table of prices; `--check`: only says whether it is stale. */
const file = new URL('../docs/operate/cost.md', import.meta.url);
const text = costDocument(synthesizedResources(), readCounts());
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/operate/cost.md is stale: run `npm run cost` and commit the result');
  process.exitCode = 1;
}
