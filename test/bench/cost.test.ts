import { describe, expect, test } from 'vitest';
import { IDLE_PROMISE } from '../../bench/cost/cost-document.ts';
import { followedStream, polledStream } from '../../bench/cost/follow-cost.ts';
import { type IdleCharge, idleCharges } from '../../bench/cost/idle-cost.ts';
import { jobParts, merged, minuteParts, sumOf, workerSize } from '../../bench/cost/job-price.ts';
import { idleSeconds, loneSeconds, workerTime } from '../../bench/cost/lone-job.ts';
import { cost, taskHour } from '../../bench/cost/prices.ts';
import type { Resource } from '../../bench/cost/templates.ts';
import { fileTraffic, infrequentRead, streamedAnswer } from '../../bench/cost/traffic-price.ts';
import { readCounts } from '../../bench/requests/request-counts.ts';
import { KEEP_WARM } from '../../lib/contract/keep-warm.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { addStacks } from '../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, resourcesOf, testApp, VERSION } from '../lib/stacks/synthesis.ts';

const counts = readCounts();
const stacks = addStacks(testApp(), { deployment: deployment(), version: VERSION, codeOf });
const deployed = new Map<string, Resource>(Object.values(stacks).flatMap((stack) => [...resourcesOf(stack)]));

const dollars = (charges: readonly IdleCharge[]) =>
  charges.reduce((sum, { price, amount }) => sum + cost(price, amount), 0);
const idle = (Type: string, Properties: Record<string, unknown> = {}) =>
  idleCharges(new Map([['It', { Type, Properties }]]), counts);

describe('an idle deployment', () => {
  test('costs less than promised, and the price of every resource is known', () => {
    const charges = idleCharges(deployed, counts);
    expect(dollars(charges)).toBeLessThan(IDLE_PROMISE);
    expect(charges.map(({ part }) => part)).toEqual(
      expect.arrayContaining(['watching', 'polling of the deliveries queue', 'tables', 'workspaces']),
    );
  });

  test("can't get a resource without a known price", () => {
    expect(() => idle('AWS::EC2::NatGateway')).toThrow('AWS::EC2::NatGateway');
    expect(() => idle('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Interface' })).toThrow('Interface');
    expect(() => idle('AWS::Events::Rule', { ScheduleExpression: 'cron(0 * * * ? *)', Targets: [] })).toThrow('cron');
  });

  test('pays for each metric of an alarm, for dashboards, for polled queues, and not for streams', () => {
    expect(dollars(idle('AWS::CloudWatch::Alarm', { MetricName: 'Errors' }))).toBeCloseTo(0.1);
    const Metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a + b' }];
    expect(dollars(idle('AWS::CloudWatch::Alarm', { Metrics }))).toBeCloseTo(0.2);
    expect(dollars(idle('AWS::CloudWatch::Dashboard'))).toBe(3);
    expect(idle('AWS::Lambda::EventSourceMapping', { StartingPosition: 'LATEST' })).toEqual([]);
    expect(dollars(idle('AWS::Lambda::EventSourceMapping'))).toBeGreaterThan(0.2);
  });

  test('pays for each call of an enabled schedule', () => {
    const rule = (ScheduleExpression: string, State = 'ENABLED', Input?: string) =>
      dollars(
        idleCharges(
          new Map([
            ['Do', { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 512 } }],
            [
              'Rule',
              {
                Type: 'AWS::Events::Rule',
                Properties: { ScheduleExpression, State, Targets: [{ Arn: { 'Fn::GetAtt': ['Do', 'Arn'] }, Input }] },
              },
            ],
          ]),
          counts,
        ),
      );
    expect(rule('rate(1 minute)')).toBeCloseTo(rule('rate(5 minutes)') * 5);
    expect(rule('rate(1 minute)')).toBeCloseTo(rule('rate(1 hour)') * 60);
    expect(rule('rate(1 minute)', 'DISABLED')).toBe(0);
    expect(rule('rate(1 minute)')).toBeGreaterThan(cost('lambdaRequest', 43_800));
    expect(rule('cron(3/5 * * * ? *)')).toBeCloseTo(rule('rate(5 minutes)'));
    const kept = rule('cron(3/5 * * * ? *)', 'ENABLED', JSON.stringify(KEEP_WARM));
    expect(kept).toBeGreaterThan(cost('lambdaRequest', 8_760));
    expect(kept).toBeLessThan(rule('rate(5 minutes)') / 4);
  });
});

describe('a job', () => {
  test('costs its requests, each at its price', () => {
    const [creating] = jobParts(counts);
    const { writes, reads, sqs } = counts.create;
    expect(creating?.dollars.DynamoDB).toBeCloseTo((writes * 0.625 + reads * 0.125) / 1_000);
    expect(creating?.dollars.SQS).toBeCloseTo((sqs * 0.4) / 1_000);
    expect(creating?.dollars['API Gateway']).toBeCloseTo(0.0035);
  });

  test("pays mostly for its worker's time, at the size in the template", () => {
    const worker = workerSize(deployed);
    expect(worker).toEqual({ vcpus: 1, memoryGb: 4, architecture: 'arm64' });
    expect(taskHour(worker)).toBeCloseTo(0.03238 + 4 * 0.00356 + 0.005);
    expect(taskHour({ ...worker, spot: true })).toBeCloseTo(0.3 * (0.03238 + 4 * 0.00356) + 0.005);
    const minutes = minuteParts(counts, worker);
    expect(minutes[0]?.dollars.Fargate).toBeCloseTo((taskHour(worker) / 60) * 1_000);
    expect(sumOf(merged(...minutes.slice(1).map(({ dollars: by }) => by)))).toBeLessThan(0.05);
  });

  test('alone on its worker pays for the start, the idle time and the last poll too', () => {
    const worker = workerSize(deployed);
    expect(idleSeconds(deployed)).toBe(120);
    expect(loneSeconds(60, 120)).toBe(45 + 60 + 120 + 21);
    expect(loneSeconds(1, 0)).toBe(45 + 1 + 21);
    expect(workerTime(loneSeconds(60, 120), worker)).toBeCloseTo((taskHour(worker) / 3_600) * 246);
  });

  test('pays for each byte of its workspace, more for what was not touched for a week', () => {
    expect(1_000 * fileTraffic({ writtenMb: 500, readMb: 0 })).toBeCloseTo(30);
    expect(1_000 * fileTraffic({ writtenMb: 0, readMb: 500 })).toBeCloseTo(15);
    expect(infrequentRead(500)).toBeCloseTo(0.01);
  });

  test('whose log is followed costs at most one stream after the follower disconnects', () => {
    const { seconds } = LIMITS.follow;
    expect(seconds).toBeLessThanOrEqual(60);
    expect(followedStream()).toBeGreaterThan(cost('lambdaArm', seconds * 0.5));
    expect(followedStream()).toBeLessThan(0.002);
    expect(polledStream()).toBeLessThan(followedStream());
  });

  test.for([
    [0, 1],
    [10, 1],
    [10.1, 2],
    [200, 20],
  ])(
    'pays for a streamed answer of %d MB as for %d requests, and for the time in which it is sent',
    ([mb = 0, requests = 0]) => {
      const streamedMb = Math.max(0, mb - 6);
      const seconds = 0.05 + streamedMb / 2;
      const besides = cost('lambdaStreamed', streamedMb / 1_000) + cost('lambdaArm', seconds * 0.5);
      expect(streamedAnswer(mb) - besides).toBeCloseTo(cost('restRequest', requests), 10);
    },
  );
});
