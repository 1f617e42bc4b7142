import { readFileSync, writeFileSync } from 'node:fs';
import { readCounts } from '../requests/request-counts.ts';
import { costDocument } from './cost-document.ts';
import { driftedLines } from './cost-drift.ts';
import { synthesizedResources } from './templates.ts';

/**
 * Writes docs/operate/cost.md from the synthesized templates, the counted requests and the table of prices. With `--check`,
 * reports the lines in which an amount has moved by more than a cent.
 */
const file = new URL('../../docs/operate/cost.md', import.meta.url);
const text = costDocument(synthesizedResources(), readCounts());
if (process.argv.includes('--check')) {
  const drifted = driftedLines(readFileSync(file, 'utf8'), text);
  if (drifted.length > 0) {
    console.error('docs/operate/cost.md is stale: run `npm run generate` and commit the result. Computed now:');
    for (const line of drifted) console.error(line);
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
}
