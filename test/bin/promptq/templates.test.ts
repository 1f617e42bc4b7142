import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let folder: string;
beforeAll(async () => {
  [service, folder] = await Promise.all([sharedService(), mkdtemp(join(tmpdir(), 'promptq-templates-'))]);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const { run, promptq, json } = commandsOf(() => service, home);

const UPGRADE = `
name: cli-upgrade
description: Upgrades a package.
profile: practice
title: Upgrade {{package}}
prompt: |
  drill: recall
  Upgrade {{package}} to {{major}}. Strict: {{strict}}. {{notes}}
parameters:
  - {name: package, type: string, pattern: '[a-z-]+', description: Its name.}
  - {name: major, type: number}
  - {name: strict, type: boolean, default: false}
  - {name: notes, type: text, required: false}
`;

test('a template is saved, found, run with typed values, changed and deleted', async () => {
  const file = join(folder, 'upgrade.yaml');
  await writeFile(file, UPGRADE);
  expect((await promptq('templates', 'save', file)).stdout).toBe('cli-upgrade is version 1\n');
  expect((await promptq('templates')).stdout).toMatch(
    /^cli-upgrade +1 +package major strict notes +\d+s +Upgrades a package\.$/m,
  );
  expect((await promptq('templates', '--names')).stdout.split('\n')).toContain('cli-upgrade');
  const shown = (await promptq('templates', 'show', 'cli-upgrade')).stdout;
  expect(shown).toContain('run it       promptq run -t cli-upgrade package=… major=…\n');
  expect(shown).toMatch(/^package +string +yes +- +Its name\.$/m);
  expect(shown).toContain('\nUpgrade {{package}} to {{major}}.');

  const notes = join(folder, 'notes');
  await writeFile(notes, 'Read {{major}}.\n@ $(id) `id`');
  const values = ['package=left-pad', 'major=4', 'strict=true', '--value-file', `notes=${notes}`];
  const preview = await promptq('run', '-t', 'cli-upgrade', ...values, '--preview');
  expect(preview.stdout).toContain('Upgrade left-pad to 4. Strict: true. Read {{major}}.\n@ $(id) `id`');
  const { code, stdout, stderr } = await promptq('run', '--template', 'cli-upgrade', ...values, '--title', 'Mine');
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('Upgrade left-pad to 4. Strict: true.')]);
  const [, id = ''] = /job (job_\w+)/.exec(stderr) ?? [];
  expect((await json('JobList', ['list', '--template', 'cli-upgrade'])).value.items).toMatchObject([{ id }]);
  const parameters = { package: 'left-pad', major: 4, strict: true, notes: 'Read {{major}}.\n@ $(id) `id`' };
  expect((await json('Job', ['show', id])).value).toMatchObject({
    ...{ title: 'Mine', profile: 'practice', template: { name: 'cli-upgrade', version: 1, parameters } },
  });
  expect((await promptq('show', id)).stdout).toMatch(/^template +cli-upgrade version 1\nvalues +\{"package":/m);

  const old = (await run(['templates', 'show', 'cli-upgrade', '--json'])).stdout;
  const changed = JSON.stringify({
    ...JSON.parse(old),
    prompt: 'Upgrade {{package}}.',
    parameters: [{ name: 'package', type: 'text' }],
  });
  const saved = await run(['templates', 'save', '-', '--name', 'cli-upgrade'], { stdin: changed });
  expect([saved.stdout, saved.stderr]).toEqual(['cli-upgrade is version 2\n', '']);
  expect((await promptq('templates', 'versions', 'cli-upgrade')).stdout).toMatch(/^VERSION +SAVED\n2 +\S+\n1 +\S+\n$/);
  const first = [...['run', '-t', 'cli-upgrade', '--template-version', '1'], ...['package=p', 'major=5', '--preview']];
  expect((await json('RenderedTemplate', first)).value).toMatchObject({ version: 1, parameters: { major: 5 } });
  const next = ['continue', id, '-t', 'cli-upgrade', '--template-version', '1', 'package=again', 'major=5'];
  expect((await promptq(...next)).stdout).toContain('Upgrade again to 5.');
  // Its prompt has no drill.
  const second = ['run', '-t', 'cli-upgrade', 'package={{x}}', '--draft'];
  const draft = (await json('JobCreated', second)).value.id;
  expect((await json('Job', ['show', draft])).value).toMatchObject({
    prompt: 'Upgrade {{x}}.',
    template: { version: 2 },
  });

  expect((await promptq('templates', 'delete', 'cli-upgrade')).stdout).toContain('cli-upgrade is deleted');
  expect(await promptq('templates', 'show', 'cli-upgrade')).toMatchObject({ code: 4 });
  expect((await promptq('templates', 'show', 'cli-upgrade', '--template-version', '1')).stdout).toContain(
    'to {{major}}',
  );
});

test('faults are listed at once, or named before anything is sent', async () => {
  await run(['templates', 'save', '-', '--name', 'cli-faults'], { stdin: UPGRADE });
  const values = ['package=Left', 'major=four', 'strict=maybe', 'level=1'];
  for (const last of ['--preview', '--draft']) {
    const { code, stderr } = await promptq('run', '-t', 'cli-faults', ...values, last);
    expect(code).toBe(2);
    for (const named of ['unknown "level"', 'parameters.package', '"four"', 'parameters.strict'])
      expect(stderr).toContain(named);
  }
  const missing = await promptq('run', '-t', 'cli-faults', 'package=x', '--draft');
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('parameters.major')]);
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await promptq(...args);
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  expect(await refused('run', '-t', 'cli-faults', 'zod')).toContain('received "zod"');
  expect(await refused('run', '-t', 'cli-faults', 'major=1', 'major=2')).toContain('major has two values');
  expect(await refused('run', '-t', 'cli-faults', '--value-file', `notes=${folder}/none`)).toContain('notes');
  expect(await refused('run', '-t', 'cli-faults', '-f', 'x')).toContain("cannot be used with option '-f");
  expect(await refused('run', 'x', '--preview')).toContain('--preview needs --template');
  expect(await refused('templates', 'show')).toContain('show needs the name of a template');
  const none = await promptq('run', '-t', 'cli-none', '--preview');
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('there is no template cli-none')]);

  const save = async (stdin: string, ...more: string[]) => await run(['templates', 'save', '-', ...more], { stdin });
  expect((await save('{prompt: x')).stderr).toContain('neither JSON nor YAML');
  expect((await save('- x')).stderr).toContain('has no template');
  expect((await save('prompt: x')).stderr).toContain('give --name');
  const faulty = await save('{prompt: "{{a}} {{ B }}", retries: -1, surprise: 1}', '--name', 'cli-faulty');
  for (const named of ['surprise', 'retries', 'no parameter a', '{{ B }}']) expect(faulty.stderr).toContain(named);
});
