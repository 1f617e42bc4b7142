import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../lib/local/run/child-process.ts';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { documentAt, ROOT, shellBlocks } from './documents.ts';

/** Not on every machine. */
const jq = await findProgram('jq');
let service: ServiceUnderTest;

beforeAll(async () => {
  service = await sharedService();
});

/** Runs a script in bash as if it were pasted, against the service of this test. @returns its output */
async function paste(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const text = script
    .replaceAll('http://127.0.0.1:8787', service.baseUrl)
    .replaceAll('.promptq/token', join(service.home, 'token'));
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', text], {
    cwd: ROOT,
    env: { ...process.env, PROMPTQ_HOME: service.home, BASE: service.baseUrl, TOKEN: service.token, ...env },
  });
  return stdout;
}

describe('the commands of the documents', () => {
  test('README.md, "Your first job": the command line finds the service of the same user', async () => {
    const [first = ''] = shellBlocks('README.md', 'Your first job');
    const user = { HOME: service.home, XDG_CONFIG_HOME: '', PROMPTQ_URL: '', PROMPTQ_TOKEN: '' };
    expect(await paste(first, user)).toContain('This is the practice vendor: no model has read your prompt.');
  });

  test.skipIf(jq === undefined)(
    'README.md, "Your first call": create a job, wait for its end and read its answer',
    async () => {
      const [block = ''] = shellBlocks('README.md', 'Your first call');
      const printed = await paste(`unset BASE TOKEN; ${block}`);
      expect(printed).toMatch(/^(?:false\n)*true\nThis is the practice vendor: .*Say hello\n$/s);
    },
  );

  test('docs/guide/deploy-bindings.md, "Deploy bindings": create a binding', async () => {
    const [create = ''] = shellBlocks('docs/guide/deploy-bindings.md', 'Deploy bindings');
    expect(JSON.parse(await paste(create))).toMatchObject({ project: 'shop', command: 'make publish', ready: true });
  });

  test('docs/guide/events.md, "Events": read those of a project', async () => {
    const [read = ''] = shellBlocks('docs/guide/events.md', 'Events');
    expect(JSON.parse(await paste(read))).toMatchObject({ items: [], has_more: false, missed: false });
  });

  test('docs/guide/exports.md, "Exports": start one', async () => {
    const [start = ''] = shellBlocks('docs/guide/exports.md', 'Exports');
    expect(JSON.parse(await paste(start))).toMatchObject({ kind: 'jobs', format: 'csv', filter: { project: 'web' } });
  });

  test('docs/guide/automations.md, "Automations": create one', async () => {
    const [create = ''] = shellBlocks('docs/guide/automations.md', 'Automations');
    expect(JSON.parse(await paste(create))).toMatchObject({ project: 'shop', state: 'active', overlap: 'skip' });
  });

  test('docs/guide/rules-profiles-secrets.md, "Parameters of a project": set one', async () => {
    const [set = ''] = shellBlocks('docs/guide/rules-profiles-secrets.md', 'Parameters of a project');
    expect(JSON.parse(await paste(set))).toMatchObject({ project: 'shop', variable: 'PROMPTQ_PARAM_REGION' });
  });

  test('docs/guide/vendor-accounts.md, "Vendor accounts": start, read, cancel and unlink', async () => {
    const [account = ''] = shellBlocks('docs/guide/vendor-accounts.md', 'Vendor accounts');
    const answers = (await paste(account.replaceAll(/(^curl .*?)(?=\s+#)/gm, '$1; echo'))).trim().split('\n');
    expect(answers.map((answer) => JSON.parse(answer).state)).toEqual([
      'starting',
      expect.stringMatching(/^(starting|awaiting_user)$/),
      expect.any(String),
      'not_linked',
    ]);
  });

  test('docs/api/authentication.md, "Tokens": create, list, suspend, resume and revoke', async () => {
    const [block = ''] = shellBlocks('docs/api/authentication.md', 'Tokens');
    const [create = '', ...others] = block.split('\n');
    const id = /^id +(\S+)$/m.exec(await paste(create))?.[1] ?? '';
    expect(id).not.toBe('');
    const printed = await paste(others.map((line) => line.replace(/ ID$/, ` ${id}`)).join('\n'));
    expect(printed).toContain(id);
    const listed = (await paste(others[0] ?? '')).split('\n').find((line) => line.includes(id));
    expect(listed).toContain('revoked');
  });

  test('docs/operate/doctor.md, "The doctor": examine the local run and any address', async () => {
    const [block = ''] = shellBlocks('docs/operate/doctor.md', 'The doctor');
    const local = block.split('\n').filter((line) => !/--(deployment|before-deploy)/.test(line));
    expect(local).toHaveLength(3);
    // Scopes are not enforced on a laptop, of which the doctor warns: exit code 1.
    const printed = await paste(
      local
        .map((line) => `${line.replace(' URL', ` ${service.baseUrl}`).replace(/ +#.*/, '')} || [ $? = 1 ]`)
        .join('\n'),
      { PROMPTQ_TOKEN: service.token },
    );
    expect(printed).not.toContain('FAULT');
  });

  test('docs/deploy/first-hour-on-aws.md: functions, and "4. An attachment whose name needs encoding"', async () => {
    const [functions = ''] = shellBlocks('docs/deploy/first-hour-on-aws.md', 'The first hour on AWS');
    const [attachment = ''] = shellBlocks(
      'docs/deploy/first-hour-on-aws.md',
      '4. An attachment whose name needs encoding',
    );
    const printed = await paste(`${functions}\n${attachment}`, { PROMPTQ: service.baseUrl });
    expect(printed).toContain('"a b/ü.txt"');
    expect(printed).toMatch(/hello\n$/);
  });

  test('docs/operate/runbook.md, "Alarms": every read of the API', async () => {
    const [api = ''] = shellBlocks('docs/operate/runbook.md', 'Alarms');
    const reads = [...documentAt('docs/operate/runbook.md').text.matchAll(/`(api GET [^`{]+)`/g)].map(
      ([, read]) => read,
    );
    expect(reads.length).toBeGreaterThan(4);
    const printed = await paste([api, ...reads.map((read) => `${read}; echo`)].join('\n'), {
      PROMPTQ: service.baseUrl,
    });
    const answers = printed
      .trim()
      .split('\n')
      .map((answer) => JSON.parse(answer));
    expect(answers).toHaveLength(reads.length);
    expect(answers.filter(({ error }) => error !== undefined && error !== null)).toEqual([]);
  });

  test('their jobs have all ended', async () => {
    await waitFor(async () => (await service.api('GET', '/jobs?status=RUNNING')).json.total === 0);
  });
});
