import { expect, it } from 'vitest';
import { commandLine } from '../command-line.ts';

const promptq = commandLine();

const reason = `There is none, ${'and here is why, '.repeat(8)}which is not cut.`;
const PLATFORM = {
  ...{ time: 'now', version: '1.2.3', commit: 'a'.repeat(40), region: 'local', limits: {}, stores: [] },
  agents: [
    {
      ...{ name: 'codex', installed: true, versions: ['0.1.0'], max_prompt_length: 1 },
      capabilities: { resume: true, steer: true, ask: false, schema: false, gateway: false },
    },
    {
      ...{ name: 'claude', installed: false, versions: [], max_prompt_length: 1 },
      capabilities: { resume: false, steer: false, ask: false, schema: false, gateway: false },
    },
  ],
  models: [{ name: 'm', price: null }],
  features: [
    { name: 'deploy-commands', on: true, detail: 'run' },
    { name: 'telegram', on: false, detail: 'no users' },
  ],
  missing: [{ name: 'prices', reason }],
};

it('prints version, agents with what they can do, features, and what is missing in full', async () => {
  expect(await promptq(['platform'], { 'GET /platform': PLATFORM })).toMatchObject({
    code: 0,
    stdout: [
      'version  1.2.3 (aaaaaaaaaaaa)',
      'region   local',
      'models   m',
      '',
      'AGENT   VERSION        CAN',
      'codex   0.1.0          resume, steer',
      'claude  not installed',
      '',
      'Features:',
      'deploy-commands  on   run',
      'telegram         off  no users',
      '',
      'Not in this version:',
      `prices  ${reason}`,
      '',
    ].join('\n'),
  });
});
