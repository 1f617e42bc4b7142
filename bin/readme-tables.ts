import { readFileSync, writeFileSync } from 'node:fs';
import { readDeployment } from '../lib/config/deployment.ts';
import { SETTING_TEXTS } from '../lib/config/setting-texts.ts';
import { ERRORS } from '../lib/contract/errors.ts';
import { LIMITS } from '../lib/contract/limits.ts';
import { BASE_PATH } from '../lib/contract/route.ts';
import { routes } from '../lib/contract/routes.ts';
import { ALARMS } from '../lib/operations/alarms.ts';
import { METRICS } from '../lib/operations/metrics.ts';

/** Settings that a deployment has if it gives only what has no default. */
const { timeoutUnit: _given, ...defaults } = readDeployment({ timeoutUnit: 'seconds' });
const DEFAULTS: Readonly<Record<string, unknown>> = defaults;

/** Writes the tables of the documents from the tables in the code; with `--check` it only says whether they are stale. */
const README_TABLES = {
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
  settings: table(
    ['setting', 'default', 'what it is'],
    Object.entries(SETTING_TEXTS).map(([name, text]) => [
      `\`${name}\``,
      Object.hasOwn(DEFAULTS, name) ? `\`${JSON.stringify(DEFAULTS[name])}\`` : '',
      text,
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
      ['one stream of a followed log; then go on with `Last-Event-ID`', `${LIMITS.follow.seconds} seconds`],
      [
        'followed logs streamed at once; further ones are polled',
        `\`followStreams\`, ${LIMITS.follow.streams.default}`,
      ],
      ['`retries`', `${LIMITS.retries.min} to ${LIMITS.retries.max}`],
      ['project name', `1 to ${LIMITS.projectNameLength} characters`],
      ['`idempotency_key`', `1 to ${LIMITS.idempotencyKeyLength} characters`],
      ['follow-up jobs of one job', number(LIMITS.followUps.perJob)],
      ['how deep follow-ups of follow-ups go', number(LIMITS.followUps.depth)],
      ['one block `follow-up-job`', `${number(LIMITS.followUps.blockBytes)} bytes`],
      ['deploy bindings of a project', number(LIMITS.deployBindings.perProject)],
      [
        '`timeout_seconds` of a binding, for each command',
        `${LIMITS.deployBindings.timeoutSeconds.min} to ${number(LIMITS.deployBindings.timeoutSeconds.max)}; default ${LIMITS.deployBindings.timeoutSeconds.default}`,
      ],
      ['kept of what the commands of a binding write', `the last ${number(LIMITS.deployBindings.logBytes)} bytes`],
      ['a signed call', `${LIMITS.deployBindings.callSeconds} seconds`],
      ['rules and profiles that one import changes', number(LIMITS.catalog.changes)],
      ['imported rules; profiles', `${number(LIMITS.catalog.rules)}; ${number(LIMITS.catalog.profiles)}`],
      ['text of a rule', `${number(LIMITS.catalog.ruleTextLength)} characters`],
      ['`cwd`', `1 to ${number(LIMITS.cwdLength)} characters`],
    ],
  ),
};

const RUNBOOK_TABLES = {
  alarms: table(
    ['alarm', 'goes off when', 'looks at'],
    ALARMS.map(({ id, means, metric }) => [
      `[${id}](#alarm-${id})`,
      means,
      typeof metric === 'string' ? `\`${metric}\`` : `\`${metric.name}\` of ${metric.of}`,
    ]),
  ),
  metrics: table(
    ['metric', 'unit', 'what it tells'],
    Object.entries(METRICS).map(([name, { unit, means }]) => [`\`${name}\``, unit, means]),
  ),
};

const stale = [replaceTables('README.md', README_TABLES), replaceTables('docs/runbook.md', RUNBOOK_TABLES)].flat();
if (stale.length > 0) {
  console.error(`the tables of ${stale.join(' and ')} are stale: run \`npm run generate\` and commit the result`);
  process.exitCode = 1;
}

/** @returns the file's name if it is stale and only looked at. */
function replaceTables(name: string, tables: Readonly<Record<string, string>>): string[] {
  const file = new URL(`../${name}`, import.meta.url);
  const present = readFileSync(file, 'utf8');
  let text = present;
  for (const [table, rows] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${table} -->`, `<!-- /${table} -->`];
    if (!text.includes(begin) || !text.includes(end)) throw new Error(`${name} has no place for the table ${table}`);
    text = `${text.slice(0, text.indexOf(begin))}${begin}\n${rows}\n${text.slice(text.indexOf(end))}`;
  }
  if (process.argv.includes('--check')) return text === present ? [] : [name];
  writeFileSync(file, text);
  return [];
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
