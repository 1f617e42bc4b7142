import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS } from '../lib/contract/errors.ts';
import { LIMITS } from '../lib/contract/limits.ts';
import { BASE_PATH } from '../lib/contract/route.ts';
import { routes } from '../lib/contract/routes.ts';

/** Writes the README's tables from the tables in the code; with `--check` it only says whether they are stale. */
const file = new URL('../README.md', import.meta.url);

const TABLES = {
  routes: table(
    ['method', 'path', 'scope', 'what it does'],
    routes.map(({ method, path, scope, summary }) => [method, `\`${BASE_PATH}${path}\``, scope, summary]),
  ),
  errors: table(
    ['status', '`error`', 'worth repeating'],
    Object.values(ERRORS).map(({ status, word, retryable }) => [
      String(status),
      word === undefined ? 'a sentence' : `\`${word}\``,
      retryable ? 'yes, after a pause' : 'no',
    ]),
  ),
  limits: table(
    ['limit', 'value'],
    [
      ['request body, unless the deployment sets another', bytes(LIMITS.maxBodyBytes.default)],
      ['highest setting of it', bytes(LIMITS.maxBodyBytes.max)],
      ['composed prompt that codex takes', `${number(LIMITS.codexPromptLength)} characters`],
      ['composed prompt that claude takes', `${number(LIMITS.claudePromptLength)} characters`],
      ['output kept of one stream of one attempt; more ends the attempt', bytes(LIMITS.outputBytes)],
      ['each stream in a result, unless `full=1`', `the last ${bytes(LIMITS.resultStreamBytes)}`],
      ['each stream in logs, unless `full=1`', bytes(LIMITS.logStreamBytes)],
      ['answer above which `full=1` redirects (303) to the same JSON', bytes(LIMITS.streamedAnswerBytes)],
      ['how long such an address works', `${LIMITS.redirectSeconds} seconds`],
      ['`wait` of the status', `0 to ${LIMITS.statusWaitSeconds} seconds`],
      ['one stream of a followed log; then go on with `Last-Event-ID`', `${LIMITS.follow.seconds / 60} minutes`],
      ['`retries`', `${LIMITS.retries.min} to ${LIMITS.retries.max}`],
      ['project name', `1 to ${LIMITS.projectNameLength} characters`],
      ['`idempotency_key`', `1 to ${LIMITS.idempotencyKeyLength} characters`],
      ['follow-up jobs of one job', number(LIMITS.followUps.perJob)],
      ['how deep follow-ups of follow-ups go', number(LIMITS.followUps.depth)],
      ['one block `follow-up-job`', `${number(LIMITS.followUps.blockBytes)} bytes`],
      ['`cwd`', `1 to ${number(LIMITS.cwdLength)} characters`],
    ],
  ),
};

const present = readFileSync(file, 'utf8');
let text = present;
for (const [name, rows] of Object.entries(TABLES)) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  if (!text.includes(begin) || !text.includes(end)) throw new Error(`README.md has no place for the table ${name}`);
  text = `${text.slice(0, text.indexOf(begin))}${begin}\n${rows}\n${text.slice(text.indexOf(end))}`;
}

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (text !== present) {
  console.error('the tables of README.md are stale: run `npm run generate` and commit the result');
  process.exitCode = 1;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...new Set(lines)].join('\n');
}

function bytes(value: number): string {
  const mebibytes = value / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${number(mebibytes)} MiB` : `${number(value)} bytes`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
