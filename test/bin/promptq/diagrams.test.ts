import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { shellBlocks } from '../../docs/documents.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});
const { run, promptq, json } = commandsOf(() => service, home);
const diagrams = async (...args: string[]) => await promptq('diagrams', ...args, '--project', 'from-terminal');

test('a diagram is saved from a file or stdin, listed, shown as it is, and deleted', async () => {
  const text = 'flowchart LR\n  a --> b %% ✓';
  const file = join(home, 'order-flow.mmd');
  writeFileSync(file, text);
  expect((await diagrams('save', file)).stderr).toContain('saved order-flow of from-terminal');
  const id = (await promptq('run', '--detach', '--profile', 'shell', 'true')).stdout.trim();
  await diagrams('save', file, '--name', 'second', '--job', id);
  expect((await diagrams()).stdout).toMatch(/^NAME +BYTES +MADE BY +CHANGED\norder-flow +29 +- .*\nsecond +29 +job_/);
  expect((await diagrams('show', 'order-flow')).stdout).toBe(`${text}\n`);
  const of = ['--project', 'from-terminal'];
  expect((await json('DiagramList', ['diagrams', ...of])).value.items).toHaveLength(2);
  expect((await json('Diagram', ['diagrams', 'show', 'second', ...of])).value).toMatchObject({ text, source_job: id });
  expect((await diagrams('delete', 'second')).stderr).toContain('deleted second');
  expect(await run(['diagrams', 'show', 'second', '--project', 'from-terminal'])).toMatchObject({ code: 4 });
});

test('the commands of docs/guide/diagrams.md do what it says', async () => {
  writeFileSync(join(home, 'order-flow.mmd'), 'pie\n "a": 1');
  const lines = shellBlocks('docs/guide/diagrams.md', 'Diagrams').join('\n').trim().split('\n');
  const printed = [];
  for (const line of lines) printed.push((await run(line.split(' ').slice(1), { cwd: home })).stdout);
  expect(printed).toEqual(['', expect.stringContaining('order-flow'), 'pie\n "a": 1\n']);
});

test.each([
  [['show'], 'needs the name of a diagram'],
  [['save'], 'needs a file'],
  [['save', '-'], 'needs --name'],
  [['save', '/nowhere.mmd'], "can't read the diagram"],
  [['draw', 'x'], 'list, show, save, delete'],
])('`promptq diagrams %j` is refused before a request', async (args, why) => {
  const { code, stderr } = await run(['diagrams', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});
