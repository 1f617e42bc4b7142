import { text } from 'node:stream/consumers';
import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';
import { wholeList } from '../jobs/pages.ts';

type Automation = Schemas['Automation'];

interface Options {
  readonly json?: true;
}

/** Lists automations, or shows or acts on one. */
export const run: CommandRun<Options> = async (context, [action = 'list', name, given], { json }) => {
  const { terminal } = context;
  if (action !== 'list' && name === undefined) throw usageError(`${action} needs the name of an automation`);
  const needsValue = action === 'deliver' ? 'the body' : action === 'resend' ? 'the id of a delivery' : undefined;
  if (needsValue !== undefined && given === undefined) throw usageError(`${action} needs ${needsValue}`);
  const value = given === '-' ? (await text(context.stdin)).trim() : given;
  const { api } = await clientOf(context);
  const params = { path: { id: name ?? '' } };
  const show = async (one: object, words: string) => (json ? terminal.printJson(one) : terminal.print(words));
  switch (action) {
    case 'list': {
      const list = await wholeList((query) => api.GET('/api/v1/automations', { params: { query } }));
      await show(list, table(HEADING, list.items.map(rowOf)));
      break;
    }
    case 'runs': {
      const list = await dataOf(api.GET('/api/v1/automations/{id}/runs', { params }));
      await show(list, table(['DUE', 'OUTCOME', 'LATE', 'JOB', 'STATUS', 'WHY'], list.items.map(runOf)));
      break;
    }
    case 'deliveries': {
      const list = await dataOf(api.GET('/api/v1/automations/{id}/deliveries', { params }));
      const refused = list.refused.map(({ message, at }) => `refused ${ago(at)}: ${message}`);
      await show(list, [table(DELIVERIES, list.items.map(deliveryOf)), ...refused].join('\n'));
      break;
    }
    case 'deliver': {
      const body = { body: value ?? '' };
      const sent = await dataOf(api.POST('/api/v1/automations/{id}/deliveries', { params, body }));
      await show(sent, sent.id);
      break;
    }
    case 'resend': {
      const path = { ...params.path, delivery: value ?? '' };
      const route = '/api/v1/automations/{id}/deliveries/{delivery}/resend';
      const sent = await dataOf(api.POST(route, { params: { path } }));
      await show(sent, sent.id);
      break;
    }
    case 'secret': {
      const body = value === undefined ? {} : { secret: value };
      const made = await dataOf(api.POST('/api/v1/automations/{id}/secret', { params, body }));
      await show(made, made.secret);
      break;
    }
    case 'run': {
      const started = await dataOf(api.POST('/api/v1/automations/{id}/run', { params }));
      await show(started, started.id);
      break;
    }
    case 'show': {
      const one = await dataOf(api.GET('/api/v1/automations/{id}', { params }));
      await show(one, describe(one));
      break;
    }
    case 'delete':
      await changed(context, await dataOf(api.DELETE('/api/v1/automations/{id}', { params })), 'deleted', json);
      break;
    default: {
      const body = { enabled: action === 'enable' };
      const one = await dataOf(api.PATCH('/api/v1/automations/{id}', { params, body }));
      await changed(context, one, `${action}d`, json);
    }
  }
  return EXIT.succeeded;
};

const HEADING = ['NAME', 'STATE', 'TRIGGER', 'NEXT', 'LAST RUN', 'FAILURES'];

function rowOf(automation: Automation): (string | number | null)[] {
  const { name, state, next_runs: next, last_run: last, failures_in_row: failures } = automation;
  const lastRun = last === null ? null : `${last.job_status ?? last.outcome} ${ago(last.due_at)}`;
  return [name, state, triggerOf(automation), next[0]?.local ?? null, lastRun, failures];
}

function runOf(run: Schemas['AutomationRun']): (string | number | null)[] {
  const due = run.count === 1 ? run.due_at : `${run.due_at} and ${run.count - 1} more`;
  return [due, run.outcome, `${run.late_seconds} s`, run.job_id, run.job_status, run.reason?.message ?? null];
}

const DELIVERIES = ['DELIVERY', 'RECEIVED', 'EVENT', 'OUTCOME', 'JOB', 'WHY'];

function deliveryOf(one: Schemas['HookDelivery']): (string | number | null)[] {
  return [one.id, ago(one.received_at), one.event, one.outcome, one.job_id, one.reason];
}

function triggerOf({ trigger: { schedule, hook, event } }: Automation): string {
  if (event !== null) return `on ${event.types.join(', ')}`;
  if (schedule === null) return `hook ${hook?.verify.style ?? ''}`;
  const { cron, every, timezone } = schedule;
  return every === null ? `${cron} ${timezone}` : `every ${every}`;
}

function describe(automation: Automation): string {
  const { name, state, state_reason: why, next_runs: next, job, project, overlap, missed } = automation;
  return [
    `${name}: ${state}${why === null ? '' : `. ${why}`}`,
    automation.trigger.schedule !== null
      ? `schedule  ${triggerOf(automation)}, overlap ${overlap}, missed ${missed}`
      : automation.trigger.hook === null
        ? `trigger   ${triggerOf(automation)}, overlap ${overlap}`
        : `trigger   ${triggerOf(automation)}, overlap ${overlap}\naddress   ${automation.trigger.hook.path}`,
    `owner     ${automation.owner}`,
    `project   ${project}`,
    jobLine(job),
    `failures  ${automation.failures_in_row} in a row; last success ${automation.last_success_at ?? 'never'}`,
    ...next.map(({ local }, at) => `${at === 0 ? 'next' : '    '}      ${local}`),
  ].join('\n');
}

function jobLine({ prompt, template, template_version: version, parameters }: Automation['job']): string {
  if (template === undefined) return `prompt    ${prompt?.split('\n')[0]}`;
  const values = parameters === undefined ? '' : ` with ${JSON.stringify(parameters)}`;
  return `template  ${template}${version === undefined ? '' : ` version ${version}`}${values}`;
}

async function changed({ terminal }: Context, one: Automation, what: string, json?: true): Promise<void> {
  if (json) await terminal.printJson(one);
  else await terminal.note(`${what} ${one.name}`);
}
