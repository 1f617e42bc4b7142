import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ALARM_PRICE, ALARMS } from '../../../../lib/platform/operations/alarms.ts';
import { addStacks } from '../../../../lib/stacks/add-stacks.ts';
import { functionsById } from '../api/api-methods.ts';
import { codeOf, deployment, policyDocument, ROOT, resourcesOf, testApp, VERSION } from '../synthesis.ts';

const app = testApp();
const synthesized = (changed: Record<string, unknown>) =>
  addStacks(app, { deployment: deployment(changed), version: VERSION, codeOf });
const quiet = synthesized({ deploymentName: 'quiet' });
const told = synthesized({ deploymentName: 'told', alarmEmail: 'ops@example.com', dashboard: true });

const alarmSchema = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
  Statistic: z.string(),
  Period: z.number(),
  EvaluationPeriods: z.number(),
  Threshold: z.number(),
  ComparisonOperator: z.string(),
  TreatMissingData: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
});
const alarmsOf = ({ api }: typeof quiet) =>
  new Map(
    [...resourcesOf(api, 'AWS::CloudWatch::Alarm').values()].map(({ Properties }) => {
      const alarm = alarmSchema.parse(Properties);
      return [alarm.AlarmName, alarm];
    }),
  );
const alarms = alarmsOf(quiet);

describe('the alarms', () => {
  test('are those of the table, each on one metric, at the documented cost', () => {
    expect([...alarms.keys()]).toEqual(ALARMS.map(({ id }) => `quiet-${id}`));
    expect(alarms.size * ALARM_PRICE).toBeCloseTo(1.2);
  });

  test.each(ALARMS)('$id goes off as the table says, and stays OK without data', (spec) => {
    const alarm = alarms.get(`quiet-${spec.id}`);
    expect(alarm).toMatchObject({
      Statistic: spec.statistic,
      Threshold: spec.limit,
      Period: spec.minutes * 60,
      EvaluationPeriods: spec.times,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: spec.id === 'watch-silent' ? 'breaching' : 'notBreaching',
    });
    expect(alarm?.AlarmDescription).toContain(spec.means);
    expect(alarm?.AlarmDescription).toContain(`docs/operate/runbook.md, "Alarm ${spec.id}"`);
  });

  test('notify only a configured address, over TLS, also when they end', () => {
    expect(resourcesOf(quiet.api, 'AWS::SNS::Topic').size).toBe(0);
    for (const { AlarmActions, OKActions } of alarms.values()) expect([...AlarmActions, ...OKActions]).toEqual([]);

    const [[topic] = []] = resourcesOf(told.api, 'AWS::SNS::Topic');
    for (const { AlarmActions, OKActions } of alarmsOf(told).values())
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    const [subscription] = resourcesOf(told.api, 'AWS::SNS::Subscription').values();
    expect(subscription?.Properties).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
    const [policy] = resourcesOf(told.api, 'AWS::SNS::TopicPolicy').values();
    expect(policyDocument.parse(policy?.Properties.PolicyDocument).Statement).toContainEqual(
      expect.objectContaining({ effect: 'Deny', condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
  });
});

describe('the dashboard', () => {
  test('exists only if enabled: it costs more than all alarms', () => {
    expect(resourcesOf(quiet.api, 'AWS::CloudWatch::Dashboard').size).toBe(0);
    expect(resourcesOf(told.api, 'AWS::CloudWatch::Dashboard').size).toBe(1);
  });
});

test('every function and the worker add the deployment to their metrics', () => {
  const named = (variables: Record<string, unknown>) => variables.POWERTOOLS_SERVICE_NAME;
  for (const { environment } of functionsById(quiet.api).values()) expect(named(environment)).toBe('quiet');
  const [task] = resourcesOf(quiet.worker, 'AWS::ECS::TaskDefinition').values();
  expect(JSON.stringify(task)).toContain('{"Name":"POWERTOOLS_SERVICE_NAME","Value":"quiet"}');
});

test('every log that the runbook follows exists and is found by a unique part of its name', () => {
  const runbook = readFileSync(join(ROOT, 'docs/operate/runbook.md'), 'utf8');
  const groups = Object.values(quiet).flatMap((stack) =>
    [...resourcesOf(stack, 'AWS::Logs::LogGroup').keys()].map((id) => `${stack.stackName}-${id}`),
  );
  const followed = new Set([...runbook.matchAll(/\blogs ([A-Za-z-]*[A-Z][A-Za-z]+)/g)].map((match) => match[1] ?? ''));
  expect(followed.size).toBeGreaterThanOrEqual(5);
  for (const part of followed)
    expect([part, groups.filter((name) => name.includes(part))]).toEqual([part, [expect.any(String)]]);
});
