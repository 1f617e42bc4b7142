import { chmod, mkdir, mkdtemp, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { examineHome } from '../../lib/doctor/home/examine-home.ts';
import { examineService } from '../../lib/doctor/service/examine-service.ts';
import { openService } from '../../lib/doctor/service/service.ts';
import { joinedKey, receiptKey } from '../../lib/jobs/output/output-keys.ts';
import { STORE_FORMAT } from '../../lib/platform/store-format.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createJob, untilEnded } from '../api/job-client.ts';
import { fileOfObject } from '../local-run/kept-objects.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { findWorker } from '../local-run/marked-processes.ts';
import { runSettings } from '../local-run/run-settings.ts';
import { complaints, diagnose, diagnoseHere, type Report, runDoctor } from './doctor-command.ts';
import { runToken } from './token-command.ts';

let home: string;
let service: OwnService;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  service = await startService({ home, env: { PROMPTQ_API_SCOPE_ENFORCE: '1', PROMPTQ_WATCH_SECONDS: '3600' } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

const { version } = packageJson;

/** What the command would report of a home. */
async function examine(of = home, config?: string): Promise<Report> {
  return await diagnoseHere({}, async () => await examineHome(of, { version, config, job: undefined }));
}

/** The addresses of the run's services, as its functions know them. */
async function environment(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(home, 'operator.json'), 'utf8')).environment;
}

describe('a healthy local run', () => {
  it('completes a job, without findings', async () => {
    const report = await diagnose(['--job'], { PROMPTQ_HOME: home });
    expect(complaints(report)).toEqual([]);
    expect(report).toMatchObject({ code: 0, state: 'ok' });
    expect(report.findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        ...['home', 'process', 'service', 'version', 'clock', 'table', 'queues', 'storage', 'workers', 'token'],
        ...[
          'profiles',
          'waiting jobs',
          'questions',
          'account',
          'job',
          'queue high',
          'queue normal',
          'queue low',
          'counts',
          'output',
          'secrets',
        ],
      ]),
    );
  });

  it('is described in readable lines, without the token', async () => {
    const { code, stdout } = await runDoctor([], { PROMPTQ_HOME: home });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +home +\//m);
    expect(stdout).toMatch(/\n\d+ ok, 0 warnings, 0 faults\n$/);
    expect(stdout).not.toContain(service.token);
  });
});

describe('a fault is named, with what to do', () => {
  it('a token that is wrong, revoked, or lacks scopes', async () => {
    const at = ['--url', service.baseUrl];
    const made = JSON.parse((await runToken(home, 'create', '--name', 'a test', '--json')).stdout);
    const limited = await diagnose(at, { PROMPTQ_TOKEN: made.token });
    expect(limited.code).toBe(1);
    expect(complaints(limited)).toEqual([
      expect.stringMatching(/^warning token: .* has read, write, not logs, attachments: what takes admin/),
    ]);
    await runToken(home, 'revoke', made.id);
    for (const token of [made.token, `${service.token.slice(0, -1)}!`]) {
      const refusing = openService({ baseUrl: service.baseUrl, token, isLocal: false });
      const refused = await diagnoseHere({}, async () => await examineService(refusing, { version, job: undefined }));
      expect([refused.code, complaints(refused)]).toEqual([
        2,
        [expect.stringMatching(/^fault token: the service at .* does not take this token/)],
      ]);
    }
    expect(await diagnose(at, { PROMPTQ_TOKEN: undefined })).toMatchObject({ code: 2 });
  });

  it('dead letters', async () => {
    const { AWS_ENDPOINT_URL_SQS: endpoint = '', QUEUE_URL_DELIVERIES: url = '' } = await environment();
    const queues = new SQSClient({ ...runSettings(await environment()), endpoint });
    await queues.send(new SendMessageCommand({ QueueUrl: `${url}-dlq`, MessageBody: 'a call that failed' }));
    queues.destroy();
    const report = await examine();
    expect(complaints(report)).toEqual(['warning queue deliveries: 1 message among its dead letters']);
    expect(report.code).toBe(1);
  });

  it('counts that differ from the jobs', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', REGISTRY_TABLE: TableName } = await environment();
    const table = new DynamoDBClient({ ...runSettings(await environment()), endpoint });
    const add = async (by: number) =>
      await table.send(
        new UpdateCommand({
          TableName,
          Key: { kind: 'counter', id: 'jobs#00' },
          UpdateExpression: 'ADD n_CANCELLED :by',
          ExpressionAttributeValues: { ':by': by },
        }) as never,
      );
    await add(3);
    const report = await examine();
    await add(-3);
    table.destroy();
    expect(complaints(report)).toContain('fault counts: CANCELLED: kept 3, counted 0');
    expect(report.code).toBe(2);
  });

  it('output that is gone, shortened or without its record, by the names of its jobs', async () => {
    const made = await Promise.all(
      [1, 2, 3, 4].map(async () => await createJob(service, { prompt: 'echo 0123456789', profile: 'shell' })),
    );
    await Promise.all(made.map(async (id) => await untilEnded(service, id)));
    const [gone = '', shortened = '', unrecorded = '', whole = ''] = made;
    const damages: [string, string, (file: string) => Promise<void>][] = [
      [joinedKey(gone, 1, 'stdout'), 'stdout missing', unlink],
      [joinedKey(shortened, 1, 'stdout'), 'stdout truncated', async (file) => await truncate(file, 4)],
      [receiptKey(unrecorded, 1), 'record corrupt', async (file) => await truncate(file, 4)],
    ];
    for (const [key, , damage] of damages) await damage(await fileOfObject(service.home, key));
    const { findings } = await examine();
    const { state, message = '' } = findings.find(({ check }) => check === 'output') ?? {};
    expect(state).toBe('warning');
    for (const [index, [, loss]] of damages.entries()) expect(message).toContain(`${made[index]} (${loss})`);
    expect(message).not.toContain(whole);
    expect(message).toContain(': 3 with losses');
  });

  it('a secret that is not set, a file that others can read, an invalid configuration', async () => {
    const profile = { name: 'with-secret', agent: 'shell', env: { KEY: { secret: 'DEPLOY_KEY' } } };
    expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
    const config = join(home, 'broken.yaml');
    await writeFile(config, 'profiles:\n  - name: 7\n');
    await chmod(join(home, 'token'), 0o644);
    const report = await examine(home, config);
    expect(complaints(report)).toEqual(
      expect.arrayContaining([
        'warning secrets: not in secrets.env of the home: DEPLOY_KEY (profile with-secret)',
        'fault private files: others on this machine can read token',
        expect.stringMatching(/^fault configuration: .*broken\.yaml:2: profiles\[0\]\.name: received 7/),
      ]),
    );
    await writeFile(join(home, 'secrets.env'), 'with-secret/DEPLOY_KEY=x\n', { mode: 0o600 });
    await chmod(join(home, 'token'), 0o600);
    expect(complaints(await examine()).join()).not.toMatch(/secrets|private files|configuration/);
  });

  it('an invalid home, a service that does not answer, a wrong option', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    const none = await examine(elsewhere);
    expect(complaints(none)).toEqual([expect.stringContaining('is no home of a local run')]);
    await mkdir(join(elsewhere, 'dynamodb'));
    await writeFile(join(elsewhere, 'format'), STORE_FORMAT);
    const info = { base_url: 'http://127.0.0.1:1', console_url: 'http://127.0.0.1:1', token: 'x', pid: process.pid };
    await writeFile(join(elsewhere, 'local.json'), JSON.stringify(info), { mode: 0o600 });
    const silent = await examine(elsewhere);
    expect(complaints(silent)).toContainEqual(
      expect.stringMatching(/^fault service: http:\/\/127\.0\.0\.1:1: fetch failed/),
    );
    expect(silent.code).toBe(2);
    await rm(elsewhere, { recursive: true });
    expect(await runDoctor(['--job-seconds', 'soon'], { PROMPTQ_HOME: home })).toMatchObject({ code: 2, stdout: '' });
  });
});

const ofWorkers = (report: Report) => complaints(report).filter((line) => /^\w+ (workers|heartbeat):/.test(line));

describe('a worker', () => {
  it('that hangs is reported before its 45 s are over, and found again when it resumes', async () => {
    await waitFor(async () => (await service.api('GET', '/environment')).json.hosts.length === 1);
    const worker = await waitFor(() => findWorker(home));
    process.kill(worker, 'SIGSTOP');
    try {
      await waitFor(async () => {
        const { json } = await service.api('GET', '/environment');
        const [host] = json.hosts;
        // None: this machine was paused until its 45 s were over.
        return host === undefined || Date.parse(json.time) - Date.parse(host.seen_at) > 26_000;
      });
      const report = await examine();
      expect(report.code).toBe(2);
      if ((await service.api('GET', '/environment')).json.hosts.length > 0)
        expect(ofWorkers(report)).toEqual([
          'fault workers: no registered worker has reported lately',
          expect.stringMatching(/^warning heartbeat: worker \S+ last reported \d+ s ago/),
        ]);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    await waitFor(async () => ofWorkers(await examine()).length === 0);
  });

  it('that does not start: no job can run; the service is killed: its file names a process that is gone', async () => {
    // A worker whose folder is a file exits at once, after each restart.
    const ofIdle = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    await writeFile(join(ofIdle, 'worker'), '');
    const idle = await startService({ home: ofIdle });
    onTestFinished(async () => {
      await idle.stop();
      await rm(ofIdle, { recursive: true, force: true });
    });
    await createJob(idle, { prompt: 'true', profile: 'shell' });
    const report = await examine(idle.home);
    expect(complaints(report)).toContain('fault workers: none is registered: no job can run');
    expect(report.code).toBe(2);
    await idle.kill9();
    const left = await examine(idle.home);
    expect(complaints(left)).toEqual([expect.stringContaining(`local.json names process ${idle.pid}, which is gone`)]);
    expect(left.code).toBe(2);
  });
});
describe('a service that ended', () => {
  it('was stopped: nothing runs there', async () => {
    await service.stop({ keepHome: true });
    expect(complaints(await examine())).toEqual(['fault process: nothing runs on this home']);
  });
});
