import { readFileSync } from 'node:fs';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { LOG_RETENTION_DAYS, readDeployment } from '../../../lib/config/deployment.ts';

describe('the settings of a deployment', () => {
  test("have defaults for all but the timeout's unit", () => {
    expect(readDeployment({ timeoutUnit: 'minutes' })).toEqual({
      timeoutUnit: 'minutes',
      deploymentName: 'promptq',
      maxBodyBytes: 2_097_152,
      scopeEnforcement: false,
      maxWorkers: 10,
      workerArchitecture: 'arm64',
      retentionDays: 0,
      logRetentionDays: 30,
      throttling: { rate: 200, burst: 400 },
    });
  });

  test('in cdk.json declare seconds', () => {
    const file = readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8');
    const { context } = z.object({ context: z.object({ promptq: z.unknown() }) }).parse(JSON.parse(file));
    expect(readDeployment(context.promptq).timeoutUnit).toBe('seconds');
  });

  test('can be given as JSON, which is how the command line gives them', () => {
    expect(readDeployment('{"timeoutUnit":"seconds","throttling":{"rate":5}}')).toMatchObject({
      timeoutUnit: 'seconds',
      throttling: { rate: 5, burst: 400 },
    });
    expect(() => readDeployment('timeoutUnit=seconds')).toThrow('promptq: received text that is not JSON');
  });

  test('that nobody gave are refused for the unit alone', () => {
    expect(() => readDeployment(undefined)).toThrow('promptq.timeoutUnit: is missing');
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

  test('know the periods that CloudWatch can keep a log for', () => {
    const days = Object.values(RetentionDays).filter(
      (value) => typeof value === 'number' && value !== RetentionDays.INFINITE,
    );
    expect([...LOG_RETENTION_DAYS]).toEqual(days);
    expect(() => readDeployment({ timeoutUnit: 'seconds', logRetentionDays: 31 })).toThrow(
      'promptq.logRetentionDays: received 31',
    );
  });
});

function faultsOf(settings: unknown): unknown {
  try {
    return readDeployment(settings);
  } catch (error) {
    return error;
  }
}
