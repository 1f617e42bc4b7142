import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { counted, type Finding, fault, inWords, ok, warning } from '../finding.ts';

/** CloudWatch's limit of names in one request. */
const NAMES_PER_REQUEST = 100;

/** Milliseconds. */
const TIMEOUT_MS = 60_000;

const answer = z.object({
  MetricAlarms: z.array(
    z.object({ AlarmName: z.string(), AlarmDescription: z.string().nullish(), StateReason: z.string().nullish() }),
  ),
});

/**
 * Checks which of a deployment's alarms are active, through the AWS CLI, which operators have: nothing else here needs
 * the SDK for CloudWatch.
 */
export async function checkAlarms(names: readonly string[]): Promise<Finding[]> {
  if (names.length === 0) return [ok('alarms', 'the deployment has none')];
  const ringing: z.output<typeof answer>['MetricAlarms'] = [];
  for (let at = 0; at < names.length; at += NAMES_PER_REQUEST) {
    const args = ['cloudwatch', 'describe-alarms', '--state-value', 'ALARM', '--output', 'json', '--alarm-names'];
    try {
      const { stdout } = await promisify(execFile)('aws', [...args, ...names.slice(at, at + NAMES_PER_REQUEST)], {
        timeout: TIMEOUT_MS,
      });
      ringing.push(...answer.parse(JSON.parse(stdout)).MetricAlarms);
    } catch (error) {
      return [notSeen(names.length, error)];
    }
  }
  if (ringing.length === 0) return [ok('alarms', `none of ${names.length} rings`)];
  return ringing.map(({ AlarmName, AlarmDescription, StateReason }) =>
    fault(
      'alarms',
      `${AlarmName}: ${StateReason ?? 'it rings'}`,
      AlarmDescription ?? 'See its section of the runbook.',
    ),
  );
}

function notSeen(count: number, error: unknown): Finding {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return warning(
    'alarms',
    `${counted(count, 'alarm')} could not be looked at: ${isMissing ? 'there is no command `aws`' : inWords(error)}`,
    'Install the AWS command line (or see why it fails), or look at CloudWatch, Alarms, in the console of AWS.',
  );
}
