import { expect, it } from 'vitest';
import * as z from 'zod';
import { isOutputField, withoutOutput } from '../../../lib/contract/output-fields.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { job } from '../../../lib/contract/schemas/jobs/job.ts';
import { REASONS } from '../../../lib/contract/schemas/jobs/job-state.ts';
import { viewReason } from '../../../lib/jobs/views/job-view.ts';

/** The fields of a schema that hold text, as `schema.field`, and whether each is marked as output. */
function* textsIn(schema: z.core.$ZodType, at: string): Generator<readonly [string, boolean]> {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    yield* textsIn(schema.unwrap(), at);
  else if (schema instanceof z.ZodArray) yield* textsIn(schema.element, at);
  else if (schema instanceof z.ZodRecord) yield* textsIn(schema.valueType, at);
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* textsIn(option, at);
  else if (schema instanceof z.ZodString) yield [at, false];
  else if (schema instanceof z.ZodObject) {
    const name = z.globalRegistry.get(schema)?.id ?? at;
    for (const [field, one] of Object.entries<z.core.$ZodType>(schema.shape))
      if (isOutputField(one)) yield [`${name}.${field}`, true];
      else yield* textsIn(one, `${name}.${field}`);
  }
}

/** Names of ids, times, states and the like, which are no output. */
const NO_TEXT =
  /(?:_at|_until|\.at|_by|[._]ids?|deadline|status|state|code|cursor|\btime|version|day|_unit|held_by|missing)$/;

/** Texts of a job that a template gives. */
const SETTINGS = ['cwd', 'extra_prompt', 'model', 'profile', 'project', 'prompt', 'tags', 'title'];

/** Who writes each other text. */
const NOT_OUTPUT = {
  'people and their clients': [
    ...['Job', 'JobSummary'].flatMap((name) => ['cwd', 'model', 'profile', 'project', 'tags', 'title'].map(of(name))),
    ...['base_prompt', 'extra_prompt', 'idempotency_key', 'prompt'].map(of('Job')),
    ...['JobSummary.prompt_preview', 'Message.text', 'Question.answer'],
    ...['TemplateOfJob', 'RenderedTemplate'].flatMap((name) => ['name', 'parameters'].map(of(name))),
    ...['Template', 'RenderedTemplate'].flatMap((name) => SETTINGS.map(of(name))),
    ...['Template.description', 'Template.name'],
    ...['default', 'description', 'example', 'name', 'pattern', 'values'].map(of('TemplateParameterView')),
    ...['Rule.name', 'Rule.text', 'JobDeployment.name', 'JobDeployment.open_url'],
    ...['args', 'children', 'env', 'env.secret', 'model', 'name'].map(of('Profile')),
    ...['name', 'ref', 'repository', 'secret', 'setup', 'workspace'].map(of('Project')),
    ...['description', 'name', 'project', 'value'].map(of('Parameter')),
    ...['cwd', 'extra_prompt', 'model', 'profile', 'prompt', 'tags', 'template', 'title'].map(of('Automation.job')),
    ...['Automation.name', 'Automation.project'],
    ...['cron', 'every', 'timezone'].map(of('Automation.trigger.schedule')),
    ...['automation', 'creator', 'profile', 'project', 'template'].map(of('Automation.trigger.event.filter')),
    'Automation.trigger.event.types',
    ...['delivery_id.header', 'delivery_id.pointer', 'filter.one_of', 'filter.pointer', 'map', 'path', 'secret'].map(
      of('Automation.trigger.hook'),
    ),
    ...['header', 'prefix', 'style'].map(of('Automation.trigger.hook.verify')),
    ...['body', 'event', 'kind', 'outcome', 'reason', 'resent_of'].map(of('HookDelivery')),
    'HookDeliveryList.refused.message',
    ...['Diagram', 'DiagramSummary'].flatMap((name) => ['name', 'project', 'source_job'].map(of(name))),
    'Diagram.text',
    ...['Event.automation', 'Event.profile', 'Event.project', 'Event.template'],
    ...['build_command', 'command', 'commands', 'deploy_command', 'framework', 'install_command'].map(
      of('DeployBinding'),
    ),
    ...['name', 'open_url', 'project', 'secret', 'target_url'].map(of('DeployBinding')),
    ...['models', 'profiles.model', 'profiles.name', 'projects.items.name'].map(of('Environment')),
    ...['projects.items.name', 'tokens.by_model.model', 'tokens.by_project.project'].map(of('Stats')),
    ...['Caller.email', 'Caller.name', 'Export.filter', 'ExportSummary.filter'],
    'PlatformModel.name',
  ],
  // It says so to them by a tool, at most 2 KiB, which they need to know what a job waits for.
  'an agent to people': ['Question.default', 'Question.options', 'Question.question', 'ReportedProgress.text'],
  'the service': [
    ...['Caller.scopes_note', 'DeployBinding.disabled_reason', 'JobDeployment.binding', 'Message.reason'],
    ...['service.default_profile', 'service.region'].map(of('Environment')),
    ...['queues', 'storage', 'table', 'workers'].map((check) => `Health.checks.${check}.message`),
    ...['cpu.architecture', 'host', 'platform'].map(of('Host')),
    ...['Job.agent', 'Job.folder', 'Job.signal', 'JobAttempt.signal', 'JobSummary.agent', 'JobSummary.signal'],
    // As the events of a CLI name it; a name, cut like one.
    ...['Job.model_used', 'JobSummary.model_used'],
    ...['Job.continues', 'Job.copied_from', 'Job.forked_from', 'Job.automation'],
    ...['JobSummary.continues', 'JobSummary.copied_from', 'JobSummary.forked_from', 'OpenApiDocument.openapi'],
    'JobSummary.automation',
    'Parameter.variable',
    ...['Export', 'ExportSummary'].flatMap((name) => ['error', 'format', 'kind'].map(of(name))),
    ...['Export.raw_url', 'Export.url', 'ExportProgress.reached'],
    ...['Automation.notes', 'Automation.owner', 'Automation.state_reason', 'NextRun.local'],
    ...['outcome', 'reason.message', 'trigger'].map(of('AutomationRun')),
    ...['reason', 'subject.kind', 'subject.name', 'subject.why'].map(of('Event')),
    ...['Platform.commit', 'Platform.region', 'PlatformAgent.versions', 'PlatformGap.name', 'PlatformGap.reason'],
    ...['PlatformFeature.detail', 'PlatformFeature.name'],
    ...['holds', 'name', 'region', 'service'].map(of('PlatformStore')),
  ],
};

function of(schema: string) {
  return (field: string) => `${schema}.${field}`;
}

it('each text that needs only the scope read is decided: output, or not', () => {
  const schemas = routes
    .filter(({ auth }) => auth.scope === 'read')
    .flatMap(({ id, responses }: Route) => Object.values(responses).map(({ schema }) => ({ id, schema })));
  const found = new Map(schemas.flatMap(({ id, schema }) => (schema === undefined ? [] : [...textsIn(schema, id)])));
  const named = (isOutput: boolean) => [...found].flatMap(([name, is]) => (is === isOutput ? [name] : [])).toSorted();
  expect(named(true)).toEqual([
    ...['Job.changes', 'Job.error', 'Job.warnings'],
    ...['JobDeployment.error', 'JobDeployment.log', 'StateReason.message'],
  ]);
  const decided = Object.values(NOT_OUTPUT).flat();
  expect(named(false).filter((name) => !NO_TEXT.test(name))).toEqual(decided.toSorted());
});

it('a caller without the scope gets nothing that a failed job reports', () => {
  const failure = viewReason({ status: 'FAILED', reason: 'start_failed', error: 'setup: PLANTED' });
  const reason = { state_reason: failure, error: 'PLANTED', attempts: [{ state_reason: failure, error: 'kept' }] };
  const shown = withoutOutput(job, { ...reason, warnings: ['follow-up 2: PLANTED', 'PLANTED'], prompt: 'x' });
  expect(shown).toEqual({
    state_reason: { ...failure, message: REASONS.start_failed.message },
    error: null,
    attempts: [{ state_reason: { ...failure, message: REASONS.start_failed.message }, error: 'kept' }],
    warnings: ['follow-up 2: needs the scope logs', 'a warning: needs the scope logs'],
    prompt: 'x',
  });
  const waiting = { code: 'usage_limit', message: 'Reached. It resets at 9.', retryable: true };
  expect(withoutOutput(job, { state_reason: waiting })).toEqual({ state_reason: waiting });
});
