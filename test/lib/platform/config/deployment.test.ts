import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readDeployment } from '../../../../lib/platform/config/deployment.ts';

describe('the settings of a deployment', () => {
  test("have defaults for all but the timeout's unit", () => {
    expect(readDeployment({ timeoutUnit: 'minutes' })).toEqual({
      timeoutUnit: 'minutes',
      session: { idleSeconds: 28_800, maxSeconds: 86_400 },
      deploymentName: 'promptq',
      maxBodyBytes: 2_097_152,
      scopeEnforcement: false,
      maxWorkers: 10,
      jobsPerWorker: 1,
      spotWeight: 0,
      warmFunctions: true,
      warmWorkers: {
        count: 0,
        days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
        from: '00:00',
        to: '00:00',
        timezone: 'UTC',
      },
      idleMinutes: 2,
      workerArchitecture: 'arm64',
      workerSize: { vcpus: 1, memoryGb: 4 },
      agents: ['codex', 'claude'],
      workspaceDays: 7,
      retentionDays: 0,
      deployCommands: true,
      logRetentionDays: 30,
      network: { publicAddresses: true },
      throttling: { rate: 200, burst: 400 },
      tokenRate: 0,
      followStreams: 5,
      originSecretVersion: 1,
      dashboard: false,
      perimeterSources: [],
      telegramUsers: {},
    });
  });

  test('in cdk.json declare seconds, and have scopes enforced', () => {
    const file = readFileSync(new URL('../../../../cdk.json', import.meta.url), 'utf8');
    const { context } = z.object({ context: z.object({ promptq: z.unknown() }) }).parse(JSON.parse(file));
    expect(readDeployment(context.promptq)).toMatchObject({ timeoutUnit: 'seconds', scopeEnforcement: true });
  });

  test('given as JSON replace those of cdk.json one by one, so that enforcement of scopes stays on', () => {
    const file = { timeoutUnit: 'seconds', scopeEnforcement: true, domain: 'none', idleMinutes: 5 };
    const read = readDeployment('{"deploymentName":"second","domain":null,"idleMinutes":9}', file);
    const kept = { timeoutUnit: 'seconds', scopeEnforcement: true };
    expect(read).toMatchObject({ ...kept, deploymentName: 'second', idleMinutes: 9 });
    expect(read).not.toHaveProperty('domain');
    expect(readDeployment({ timeoutUnit: 'minutes' }, file)).toMatchObject({ scopeEnforcement: false });
  });

  test.each([
    ['maxWorkers', 1, 1_250],
    ['spotWeight', 0, 100],
    ['idleMinutes', 1, 1_440],
    ['retentionDays', 0, 36_500],
    ['workspaceDays', 0, 36_500],
    ['originSecretVersion', 1, 100],
    ['tokenRate', 0, 10_000],
  ])('of numbers have bounds: %s is at least %d and at most %d', (name, least, most) => {
    const given = (value: number) => readDeployment({ timeoutUnit: 'seconds', [name]: value });
    for (const value of [least, most]) expect(given(value)).toMatchObject({ [name]: value });
    for (const value of [least - 1, most + 1, least + 0.5]) expect(() => given(value)).toThrow(`${name}: received`);
  });

  test('of access are checked', () => {
    const given = { timeoutUnit: 'seconds', perimeterSources: ['203.0.113.0/24'], telegramUsers: { 17: 'viewer' } };
    expect(readDeployment(given)).toMatchObject(given);
    expect(() => readDeployment({ ...given, perimeterSources: ['203.0.113.7'] })).toThrow(
      /perimeterSources\.0: .*range/,
    );
    expect(() => readDeployment({ ...given, telegramUsers: { ada: 'viewer' } })).toThrow('telegramUsers');
    expect(() => readDeployment({ ...given, telegramUsers: { 17: 'owner' } })).toThrow('telegramUsers.17');
  });

  test('of names and certificates are those that CloudFront takes', () => {
    const domain = {
      name: 'queue.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/1-2-3',
      hostedZone: { id: 'Z123', name: 'example.com' },
    };
    expect(readDeployment({ timeoutUnit: 'seconds', domain })).toMatchObject({ domain });
    const elsewhere = domain.certificateArn.replace('us-east-1', 'eu-west-1');
    const wrong = { ...domain, certificateArn: elsewhere, hostedZone: { id: 'Z1', name: 'Example' }, zone: 'x' };
    const message = String(faultsOf({ timeoutUnit: 'seconds', domain: wrong, webAclArn: 'x', adminEmail: 'ada' }));
    for (const place of ['domain.certificateArn', 'domain.hostedZone.name', 'webAclArn', 'adminEmail'])
      expect(message).toContain(`promptq.${place}: received`);
    expect(message).toMatch(/promptq\.domain: unknown zone$/m);
    const foreign = { ...domain, hostedZone: { id: 'Z1', name: 'ample.com' } };
    expect(() => readDeployment({ timeoutUnit: 'seconds', domain: foreign })).toThrow(
      'promptq.domain.hostedZone.name: received',
    );
  });

  test('of a worker are sizes that Fargate offers, and agents that exist', () => {
    const given = { timeoutUnit: 'seconds', agents: ['codex'], workerSize: { vcpus: 0.25, memoryGb: 0.5 } };
    expect(readDeployment(given)).toMatchObject(given);
    expect(readDeployment({ timeoutUnit: 'seconds', workerSize: { vcpus: 2 } })).toMatchObject({
      workerSize: { vcpus: 2, memoryGb: 4 },
    });
    expect(() => readDeployment({ ...given, workerSize: { vcpus: 16 } })).toThrow(
      'promptq.workerSize.memoryGb: received 4; with 16 vCPU, Fargate offers 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120 GB',
    );
    expect(() => readDeployment({ ...given, workerSize: { vcpus: 3 } })).toThrow(
      'promptq.workerSize.vcpus: received 3',
    );
    expect(() => readDeployment({ ...given, workerSize: { diskGb: 20 } })).toThrow(
      'promptq.workerSize.diskGb: received 20',
    );
    expect(() => readDeployment({ ...given, agents: ['codex', 'codex'] })).toThrow('expected each agent once');
    expect(() => readDeployment({ ...given, agents: ['shell'] })).toThrow('promptq.agents.0: received "shell"');
  });

  test('of warm workers are times and places that exist, within the most workers', () => {
    const warmWorkers = { count: 2, days: ['mon'], from: '08:00', to: '18:30', timezone: 'Europe/Berlin' };
    expect(readDeployment({ timeoutUnit: 'seconds', warmWorkers })).toMatchObject({ warmWorkers });
    const wrong = { count: 3, days: ['monday'], from: '8:00', to: '24:00', timezone: 'Berlin' };
    const message = String(faultsOf({ timeoutUnit: 'seconds', warmWorkers: wrong }));
    for (const place of ['days.0', 'from', 'to', 'timezone'])
      expect(message).toContain(`promptq.warmWorkers.${place}: received`);
    expect(() => readDeployment({ timeoutUnit: 'seconds', maxWorkers: 2, warmWorkers: { count: 3 } })).toThrow(
      'promptq.warmWorkers.count: received 3; expected at most maxWorkers',
    );
  });

  test('of workers allow 10,000 jobs at once, and say how many each may run', () => {
    const many = { timeoutUnit: 'seconds', maxWorkers: 1_250, jobsPerWorker: 8 };
    expect(readDeployment(many)).toMatchObject(many);
    expect(() => readDeployment({ ...many, jobsPerWorker: 9 })).toThrow(
      'promptq.jobsPerWorker: received 9; expected at most 8 with 1250 workers: together they run at most 10000 jobs',
    );
    const message = String(faultsOf({ ...many, maxWorkers: 1_251, jobsPerWorker: 33 }));
    for (const wrong of ['maxWorkers: received 1251', 'jobsPerWorker: received 33'])
      expect(message).toContain(`promptq.${wrong}`);
    const largest = { timeoutUnit: 'seconds', maxWorkers: 312, jobsPerWorker: 32 };
    expect(readDeployment(largest)).toMatchObject(largest);
  });

  test('have all their faults in one message, with what was received', () => {
    const wrong = {
      timeoutUnit: 'hours',
      deploymentName: 'My Queue',
      maxBodyBytes: 2_900_001,
      throttling: { burst: 0 },
      maxWorker: 3,
    };
    const message = String(faultsOf(wrong));
    expect(message).toContain('promptq.timeoutUnit: received "hours"');
    expect(message).toContain('promptq.deploymentName: received "My Queue"');
    expect(message).toContain('promptq.maxBodyBytes: received 2900001');
    expect(message).toContain('promptq.throttling.burst: received 0');
    expect(message).toContain('promptq: unknown maxWorker; known: timeoutUnit, ');
  });

  test("have a name that Parameter Store takes: it keeps aws and ssm for AWS's own", () => {
    for (const deploymentName of ['aws', 'awsome', 'aws-queue', 'ssm', 'ssm-2'])
      expect(() => readDeployment({ timeoutUnit: 'seconds', deploymentName })).toThrow(
        `promptq.deploymentName: received "${deploymentName}"`,
      );
    for (const deploymentName of ['my-aws-queue', 'as', 'ss-m'])
      expect(readDeployment({ timeoutUnit: 'seconds', deploymentName })).toMatchObject({ deploymentName });
  });
});

function faultsOf(settings: unknown): unknown {
  try {
    return readDeployment(settings);
  } catch (error) {
    return error;
  }
}
