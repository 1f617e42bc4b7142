import { dataOf } from '../../client/data-of.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { worst } from '../../doctor/finding.ts';
import { jsonReport, textReport } from '../../doctor/report.ts';
import { examineService } from '../../doctor/service/examine-service.ts';
import { openService } from '../../doctor/service/service.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { findCredentials } from '../base/credentials.ts';
import { EXIT } from '../base/exit-codes.ts';

/** Milliseconds for the job of `--job`. */
const JOB_MS = 180_000;

export const run: CommandRun<{ readonly job?: true | string; readonly json?: true }> = async (
  context,
  _args,
  { job, json },
) => {
  const client = await clientOf(context);
  await dataOf(client.api.GET('/api/v1/health'));
  const { url: baseUrl, token } = await findCredentials(context.env);
  const findings = await examineService(openService({ baseUrl, token, isLocal: false }), {
    version: context.version,
    job: job === undefined ? undefined : { profile: job === true ? 'codex' : job, timeoutMs: JOB_MS },
  });
  if (json) await context.terminal.printJson(JSON.parse(jsonReport(findings)));
  else await context.terminal.print(harmless(textReport(findings)));
  return worst(findings) === 'fault' ? EXIT.jobFailed : EXIT.succeeded;
};
