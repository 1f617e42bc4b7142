import { readFileSync, writeFileSync } from 'node:fs';
import { EXIT_MEANINGS } from '../lib/cli/base/exit-codes.ts';
import { COMMANDS } from '../lib/cli/command-table.ts';
import { ROUTES_WITHOUT_COMMAND } from '../lib/cli/routes-without-command.ts';
import { AGENT_DEFINITIONS } from '../lib/contract/agents.ts';
import { ERRORS } from '../lib/contract/errors.ts';
import { LIMITS } from '../lib/contract/limits.ts';
import { BASE_PATH } from '../lib/contract/route.ts';
import { routes } from '../lib/contract/routes/routes.ts';
import { CATALOG_LIST_NAMES, LISTS_IN_WORDS } from '../lib/contract/schemas/config.ts';
import { defaultOf, SETTINGS as LOCAL_SETTINGS } from '../lib/local/settings/settings.ts';
import { ROUTES_WITHOUT_TOOL } from '../lib/mcp/routes-without-tool.ts';
import { TOOLS as MCP_TOOLS } from '../lib/mcp/tool-table.ts';
import { readDeployment } from '../lib/platform/config/deployment.ts';
import { SETTING_TEXTS } from '../lib/platform/config/setting-texts.ts';
import { ALARMS } from '../lib/platform/operations/alarms.ts';
import { METRICS } from '../lib/platform/operations/metrics.ts';
import { TOOLS } from './tools.ts';

/** Settings that a deployment has if it gives only what has no default. */
const { timeoutUnit: _given, ...defaults } = readDeployment({ timeoutUnit: 'seconds' });
const DEFAULTS: Readonly<Record<string, unknown>> = defaults;

/** The generated tables of each document, by the name in their markers. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/api/reference.md': {
    routes: table(
      ['method', 'path', 'scope', 'what it does'],
      routes.map(({ method, path, auth, summary }) => [method, `\`${BASE_PATH}${path}\``, auth.scope, summary]),
    ),
    errors: table(
      ['status', '`error`', 'retry'],
      Object.values(ERRORS).map(({ status, word, retryable }) => [
        String(status),
        word === undefined ? 'a sentence' : `\`${word}\``,
        retryable ? 'yes, after a pause' : 'no',
      ]),
    ),
  },
  'docs/api/limits.md': {
    limits: table(
      ['limit', 'value'],
      [
        ['request body, unless the deployment sets another', bytes(LIMITS.maxBodyBytes.default)],
        ['highest such setting', bytes(LIMITS.maxBodyBytes.max)],
        ...Object.entries(AGENT_DEFINITIONS)
          .filter(([, { maxPromptLength }]) => Number.isFinite(maxPromptLength))
          .map(([agent, { maxPromptLength }]) => [
            `composed prompt for ${agent}`,
            `${number(maxPromptLength)} characters`,
          ]),
        ['output kept of one stream of one attempt; more ends the attempt', bytes(LIMITS.outputBytes)],
        ['each stream in a result, unless `full=1`', `the last ${bytes(LIMITS.resultStreamBytes)}`],
        ['each stream in logs, unless `full=1`', bytes(LIMITS.logStreamBytes)],
        [
          'answer with `full=1`, or attachment, above which the API redirects (303) to the same content',
          bytes(LIMITS.streamedBytes),
        ],
        ['lifetime of that redirect', `${LIMITS.redirectSeconds} seconds`],
        [
          "copy of a job's folder, for each attempt: entries; bytes of one file; bytes of all",
          `${number(LIMITS.files.count)}; ${bytes(LIMITS.files.fileBytes)}; ${bytes(LIMITS.files.totalBytes)}`,
        ],
        ['`wait` of the status', `0 to ${LIMITS.statusWaitSeconds} seconds`],
        [
          'one stream of a followed log, which then ends with `event: continue`; continue with `Last-Event-ID`',
          `${LIMITS.follow.seconds} seconds`,
        ],
        [
          'followed logs streamed at once; further ones are polled',
          `\`followStreams\`, ${LIMITS.follow.streams.default}`,
        ],
        ['`retries`', `${LIMITS.retries.min} to ${LIMITS.retries.max}`],
        ['project name', `1 to ${LIMITS.projectNameLength} characters`],
        ['`idempotency_key`', `1 to ${LIMITS.idempotencyKeyLength} characters`],
        ['follow-up jobs of one job', number(LIMITS.followUps.perJob)],
        ['descendants of one job', number(LIMITS.followUps.perTree)],
        ['depth of follow-ups of follow-ups', number(LIMITS.followUps.depth)],
        ['one block `follow-up-job`', `${number(LIMITS.followUps.blockBytes)} bytes`],
        ['search of an output for blocks that its receipt lacks', `${LIMITS.followUps.searchSeconds} s`],
        [
          'parameters of a project; characters of a name; of a value; bytes of them all, with descriptions',
          `${number(LIMITS.parameters.perProject)}; ${LIMITS.parameters.nameLength}; ${number(LIMITS.parameters.valueLength)}; ${bytes(LIMITS.parameters.totalBytes)}`,
        ],
        [
          'from `due_from` to `due_to` of automations; automations in a page with them',
          `${LIMITS.automations.calendar.days} days; ${LIMITS.automations.calendar.perPage}`,
        ],
        [
          'body of a delivery to a hook; its levels; age of a signature that has a time',
          `${bytes(LIMITS.hooks.bodyBytes)}; ${LIMITS.hooks.depth}; ${LIMITS.hooks.toleranceSeconds} s`,
        ],
        [
          'deliveries of a hook that are listed; days that they are kept; its jobs that wait',
          `${LIMITS.hooks.listed}; ${LIMITS.hooks.days}; ${LIMITS.hooks.waiting}`,
        ],
        ['deploy bindings of a project', number(LIMITS.deployBindings.perProject)],
        [
          '`timeout_seconds` of a binding, for each command',
          `${LIMITS.deployBindings.timeoutSeconds.min} to ${number(LIMITS.deployBindings.timeoutSeconds.max)}; default ${LIMITS.deployBindings.timeoutSeconds.default}`,
        ],
        ["stored output of a binding's commands", `the last ${number(LIMITS.deployBindings.logBytes)} bytes`],
        [
          'secrets that sign the calls of a binding: the current one and former ones that are still valid',
          number(LIMITS.deployBindings.secrets),
        ],
        ['a signed call', `${LIMITS.deployBindings.callSeconds} seconds`],
        ['diagrams of a project', number(LIMITS.diagrams.perProject)],
        ['text of a diagram', bytes(LIMITS.diagrams.textBytes)],
        [`${LISTS_IN_WORDS} that one import changes`, number(LIMITS.catalog.changes)],
        [
          `imported ${CATALOG_LIST_NAMES.join('; ')}`,
          CATALOG_LIST_NAMES.map((list) => number(LIMITS.catalog[list])).join('; '),
        ],
        [
          'events: how long they are kept; items of a page',
          `${LIMITS.events.days} days; ${LIMITS.events.list.min} to ${LIMITS.events.list.max}, default ${LIMITS.events.list.default}`,
        ],
        [
          'subscriptions; persons who may answer in one',
          `${LIMITS.subscriptions.count}; ${LIMITS.subscriptions.answersFrom}`,
        ],
        [
          'hours after an event in which its delivery is tried; events of a digest',
          `${LIMITS.subscriptions.retryHours}; ${LIMITS.subscriptions.digestEvents}`,
        ],
        [
          'deliveries of a subscription that are listed; days that they are kept',
          `${LIMITS.subscriptions.deliveries}; ${LIMITS.subscriptions.deliveryDays}`,
        ],
        [
          'exports that run at a time; that are kept, for how long; rows and bytes of one',
          `${LIMITS.exports.running}; ${LIMITS.exports.kept}, ${LIMITS.exports.days} days; ${number(LIMITS.exports.rows)}, ${bytes(LIMITS.exports.bytes)}`,
        ],
        ['lifetime of a link to an export', `${LIMITS.exports.linkSeconds} seconds`],
        ['text of a rule', `${number(LIMITS.catalog.ruleTextLength)} characters`],
        [
          'prompt of a template; its parameters; a value of type `string`; of type `text`',
          `${number(LIMITS.templates.promptLength)} characters; ${LIMITS.templates.parameters}; ${number(LIMITS.templates.stringLength)} characters; ${number(LIMITS.templates.textLength)} characters`,
        ],
        [
          "`pattern` of a parameter; all values of a job as JSON; a template's texts with its values",
          `${LIMITS.templates.patternLength} characters; ${number(LIMITS.templates.valuesBytes)} bytes; ${number(LIMITS.templates.composedLength)} characters`,
        ],
        [
          'jobs in one page of `GET /jobs`, as a string in JSON; a longer page ends early, continue with `next_cursor`',
          `${number(LIMITS.listBytes)} bytes`,
        ],
        [
          'one request of a `search`: texts and labels of whole months; or of jobs in order, where one month has more',
          `${number(LIMITS.jobsReadPerList)} rows; ${number(LIMITS.jobsSearchedPerList)} jobs; ${number(LIMITS.bytesSearchedPerList)} bytes of either`,
        ],
        ['`cwd`', `1 to ${number(LIMITS.cwdLength)} characters`],
      ],
    ),
  },
  'docs/guide/command-line.md': {
    'exit-codes': table(
      ['exit code', 'meaning'],
      EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
    ),
    commands: table(
      ['command', 'what it does', 'routes', '`--json`'],
      COMMANDS.map(({ name, about, routes: called, json = '', jsonLines = [] }) => [
        `\`${name}\``,
        about,
        called.map((id) => `\`${id}\``).join(', '),
        [json, ...jsonLines].map((schema) => schema && `\`${schema}\``).join(', '),
      ]),
    ),
    'routes-without-command': table(
      ['route', 'reason'],
      Object.entries(ROUTES_WITHOUT_COMMAND).map(([id, reason]) => [`\`${id}\``, reason]),
    ),
  },
  'docs/guide/mcp.md': {
    'mcp-tools': table(
      ['tool', 'what it does', 'routes'],
      MCP_TOOLS.map(({ name, title, routes: called }) => [
        `\`${name}\``,
        title,
        called.map((id) => `\`${id}\``).join(', '),
      ]),
    ),
    'routes-without-tool': table(
      ['route', 'reason'],
      Object.entries(ROUTES_WITHOUT_TOOL).map(([id, reason]) => [`\`${id}\``, reason]),
    ),
  },
  'docs/deploy/settings.md': {
    settings: table(
      ['setting', 'default', 'meaning'],
      Object.entries(SETTING_TEXTS).map(([name, text]) => [
        `\`${name}\``,
        Object.hasOwn(DEFAULTS, name) ? `\`${JSON.stringify(DEFAULTS[name])}\`` : '',
        text,
      ]),
    ),
  },
  'docs/operate/settings.md': {
    'local-settings': table(
      ['variable', 'default', 'meaning'],
      Object.entries(LOCAL_SETTINGS).map(([name, { about }]) => {
        const standard = defaultOf(name);
        return [`\`${name}\``, standard === undefined ? '' : `\`${standard}\``, about];
      }),
    ),
  },
  'docs/operate/runbook.md': {
    alarms: table(
      ['alarm', 'goes off when', 'metric'],
      ALARMS.map(({ id, means, metric }) => [
        `[${id}](#alarm-${id})`,
        means,
        typeof metric === 'string' ? `\`${metric}\`` : `\`${metric.name}\` of ${metric.of}`,
      ]),
    ),
    metrics: table(
      ['metric', 'unit', 'meaning'],
      Object.entries(METRICS).map(([name, { unit, means }]) => [`\`${name}\``, unit, means]),
    ),
  },
  'docs/develop/testing.md': {
    tools: table(
      ['command', 'what it does'],
      Object.entries(TOOLS).flatMap(([subject, tools]) =>
        Object.entries(tools).map(([name, { about, options = '' }]) => [
          `\`${`npm run ${subject} -- ${name} ${options}`.trimEnd()}\``,
          about,
        ]),
      ),
    ),
  },
};

/** Writes the tables of the documents from the tables in the code; with `--check`, reports stale documents instead. */
const isCheck = process.argv.includes('--check');
const stale = Object.entries(DOCUMENTS).filter(([name, tables]) => {
  const file = new URL(`../${name}`, import.meta.url);
  const present = readFileSync(file, 'utf8');
  const text = Object.entries(tables).reduce(
    (result, [table, rows]) => replaceTable(result, name, table, rows),
    present,
  );
  if (!isCheck) writeFileSync(file, text);
  return isCheck && text !== present;
});
if (stale.length > 0) {
  const names = stale.map(([name]) => name).join(' and ');
  console.error(`the tables of ${names} are stale: run \`npm run generate\` and commit the result`);
  process.exitCode = 1;
}

/** Replaces what is between the markers of a table. */
function replaceTable(text: string, name: string, table: string, rows: string): string {
  const [begin, end] = [`<!-- ${table} -->`, `<!-- /${table} -->`];
  if (!text.includes(begin) || !text.includes(end)) throw new Error(`${name} has no place for the table ${table}`);
  return `${text.slice(0, text.indexOf(begin))}${begin}\n${rows}\n${text.slice(text.indexOf(end))}`;
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
