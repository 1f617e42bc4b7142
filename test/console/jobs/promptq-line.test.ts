import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { promptqLine } from '../../../console/src/jobs/form/promptq-line.ts';
import type { Context } from '../../../lib/cli/base/context.ts';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { jobFields } from '../../../lib/cli/jobs/job-fields.ts';
import { createProgram } from '../../../lib/cli/program.ts';
import openapi from '../../../openapi.json' with { type: 'json' };

const ORIGIN = 'https://jobs.example.com';
/** Fields that the form of a prompt does not copy. */
const OTHER_FIELDS = [
  'base_prompt',
  'continue',
  'continue_after',
  'copied_from',
  'draft',
  'fork',
  'fresh_folder',
  'parameters',
  'project_id',
  'save_draft',
  'template',
  'template_version',
];

/** Pastes a line into bash, where a stand-in for promptq prints its address, arguments and stdin. */
function paste(line: string): { url: string; args: string[]; stdin: string } {
  const standIn = `promptq() { printf '%s\\0' "$PROMPTQ_URL" $# "$@"; [[ "$*" != *--file=-* ]] || cat; }`;
  const printed = execFileSync('bash', ['-s'], { env: { PATH: '/usr/bin:/bin' }, input: `${standIn}\n${line}\n` });
  const [url = '', count = '', ...rest] = printed.toString().split('\0');
  return { url, args: rest.slice(0, Number(count)), stdin: rest.slice(Number(count)).join('\0') };
}

/** The fields that the command line reads from its arguments. */
async function understood({ args, stdin }: { args: string[]; stdin: string }): Promise<object> {
  let fields = {};
  const program = createProgram({ version: '0', commands: COMMANDS }, async (_, [prompt], options) => {
    const context = { stdin: Readable.from([stdin]) } as Partial<Context> as Context;
    const { idempotencyKey: key } = options as { idempotencyKey?: string };
    fields = { ...(await jobFields(context, prompt, options)), ...(key !== undefined && { idempotency_key: key }) };
  });
  await program.parseAsync(args, { from: 'user' });
  return fields;
}

test.each([
  ['nothing', ''],
  ['a word', 'hello'],
  ['options', '--detach'],
  ['shell syntax', `it's "$(id)" \`id\` $HOME \${HOME} \\ !x !! ; & | > < * ? [a] ~ # {a,b}`],
  ['a closed quote', `'; echo broken out; #`],
  ['a quote that fish takes as escaped', `\\'; echo broken out; '`],
  ['a last backslash', 'x\\'],
  ['lines', "two\nlines\n\n'\nJSON\nEOF\n"],
  ['tabs and carriage returns', 'tab\tand\r\nCRLF'],
  ['the end of a paste', 'x\u001b[201~\necho broken out\n'],
  ['Ctrl-C', 'x\u0003\necho broken out\n'],
  ['C1 controls and bidirectional text', '\u009b31m \u007f \u202e \u2028'],
  ['other scripts', 'ü € 𝄞 😀'],
  ['a NUL', "a\0b'\0"],
  ['more than an argument can have', `it's ${'ü'.repeat(150_000)}`],
])('a copied promptq command creates the same job from a prompt with %s', async (_, prompt) => {
  const line = promptqLine(ORIGIN, { prompt });
  // A terminal would act on these while they are pasted.
  expect(line).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u);
  const pasted = paste(line);
  expect(pasted.url).toBe(ORIGIN);
  expect(await understood(pasted)).toEqual({ prompt });
});

test('fish, in whose quotes a backslash escapes, finds no backslash in them', () => {
  const line = promptqLine(ORIGIN, { prompt: `\\'; echo broken out; '`, title: 'a\\' });
  expect(line).toBe(`PROMPTQ_URL=${ORIGIN} promptq run --title='a'\\\\ \\\\\\''; echo broken out; '\\'`);
});

test('every field of a new job, except aliases and drafts, is an option of the command', async () => {
  const body = {
    prompt: 'Say hello',
    extra_prompt: "--and 'goodbye'",
    rule_ids: ['first', '-second'],
    profile: 'shell',
    model: 'a model',
    priority: -3,
    timeout: 1.5,
    retries: 2,
    cwd: 'a folder',
    project: '$(id)',
    title: '-t',
    tags: ['night', 'slow ones'],
    idempotency_key: '`key`',
  };
  const fields = Object.keys(openapi.components.schemas.JobCreation.properties);
  expect(fields.filter((field) => !(field in body)).toSorted()).toEqual(OTHER_FIELDS);
  expect(await understood(paste(promptqLine(ORIGIN, body)))).toEqual(body);
});

test('a copied command of a template has its version, its values and the settings that differ', async () => {
  const parameters = { package: "it's $(id)", notes: 'two\nlines=1', files: 20, commit: false };
  const body = { template: 'upgrade', template_version: 2, parameters, title: '-t', tags: ['a b', 'c'] };
  let seen: unknown;
  const program = createProgram({ version: '0', commands: COMMANDS }, async (_, values, options) => {
    seen = [values, options];
  });
  await program.parseAsync(paste(promptqLine(ORIGIN, body)).args, { from: 'user' });
  const values = ["package=it's $(id)", 'notes=two\nlines=1', 'files=20', 'commit=false'];
  expect(seen).toEqual([
    values,
    expect.objectContaining({ template: 'upgrade', templateVersion: 2, title: '-t', tag: ['a b', 'c'] }),
  ]);
});
