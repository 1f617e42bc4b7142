import * as z from 'zod';
import { listProfiles } from '../contract/routes/catalog.ts';
import { cancelJob, createJob, listJobs, readJobStatus } from '../contract/routes/jobs.ts';
import { createMessage } from '../contract/routes/messages.ts';
import { readLogs, readResult } from '../contract/routes/output.ts';
import { answerQuestion, listQuestions } from '../contract/routes/questions.ts';
import { listTemplates } from '../contract/routes/templates.ts';
import { diagramParams, diagramQuery, diagramWrite } from '../contract/schemas/diagram.ts';
import { fileQuery, filesQuery } from '../contract/schemas/jobs/files.ts';
import {
  LIST_LENGTH,
  LOG_BYTES,
  MESSAGE_LENGTH,
  QUESTIONS_LENGTH,
  READ_LENGTH,
  TEMPLATES_LENGTH,
  type ToolName,
} from './tool-table.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const job = readJobStatus.params;

const { project_id: project, ...creation } = createJob.body.pick({
  prompt: true,
  extra_prompt: true,
  rule_ids: true,
  profile: true,
  model: true,
  priority: true,
  retries: true,
  title: true,
  tags: true,
  cwd: true,
  project_id: true,
  idempotency_key: true,
}).shape;

const { stream, offset, limit } = readLogs.query.shape;
const { attempt } = readResult.query.shape;

const filters = listJobs.query.pick({
  status: true,
  needs: true,
  search: true,
  project: true,
  profile: true,
  tag: true,
  tree: true,
  template: true,
  cursor: true,
  limit: true,
});

const NEW_JOB = schemaOf(
  { ...creation, project },
  { prompt: { description: 'The task. The agent of the job sees nothing else of your conversation.' } },
  ['prompt'],
);

const PROFILE = {
  description:
    'Name of an execution profile. Default: that of the job. Name it if the service refuses the job because its profile has got more rights.',
};
const OFFSET = { type: 'integer', minimum: 0, description: 'The next_offset of the last answer.' };
const LIMIT = {
  ...READ_LENGTH,
  type: 'integer',
  description: 'Maximum number of characters to return. Fewer come if the answer would be too long.',
};
/** What a job of the same or a new thread takes. It inherits the rest. */
const NEXT_JOB = { prompt: true, profile: true, title: true, idempotency_key: true } as const;

/**
 * The arguments of each tool: JSON Schemas of what its routes take, with narrower bounds where an agent needs them.
 * `npm run generate` writes them to tool-contracts.ts.
 */
export const TOOL_INPUTS: Readonly<Record<ToolName, JsonSchema>> = {
  create_job: NEW_JOB,
  run_job: NEW_JOB,
  run_template: schemaOf(
    {
      ...createJob.body.pick({ template: true, template_version: true, parameters: true }).shape,
      ...createJob.body.pick({ profile: true, priority: true, retries: true, title: true, tags: true }).shape,
      ...{ project, idempotency_key: creation.idempotency_key },
    },
    {
      template: { description: 'Name of the template.' },
      parameters: {
        description:
          'Values by the names of parameters, such as {"package": "zod", "major": true}. A value is data: braces in it have no meaning.',
      },
      profile: { description: "Name of an execution profile, instead of the template's." },
      project: { description: "Id or name of the project, instead of the template's." },
    },
    ['template'],
  ),
  continue_job: schemaOf(
    { ...job.shape, ...createJob.body.pick({ ...NEXT_JOB, continue_after: true, fresh_folder: true }).shape },
    {
      id: { description: 'The id of the job to continue.' },
      prompt: { description: 'The task. The agent knows the earlier prompts and answers of this thread.' },
      profile: PROFILE,
    },
    ['id', 'prompt'],
  ),
  fork_job: schemaOf(
    { ...job.shape, ...createJob.body.pick(NEXT_JOB).shape },
    {
      id: { description: 'The id of the job to fork.' },
      prompt: { description: 'The task. The agent knows the earlier prompts and answers of this thread.' },
      profile: PROFILE,
    },
    ['id', 'prompt'],
  ),
  wait_for_job: schemaOf(job.shape, { timeout_seconds: { type: 'integer' } }, ['id']),
  job_status: schemaOf(job.shape, {}, ['id']),
  read_job: schemaOf(
    job.shape,
    {
      limit: {
        ...MESSAGE_LENGTH,
        type: 'integer',
        description: 'Maximum number of characters of each text. Default: what fits into a short answer.',
      },
    },
    ['id'],
  ),
  job_result: schemaOf(
    { ...job.shape, attempt },
    {
      message_offset: {
        type: 'integer',
        minimum: 0,
        description: 'Character at which to read on in a long final message: next_message_offset of the last answer.',
      },
      message_length: {
        type: 'integer',
        ...MESSAGE_LENGTH,
        description:
          'Maximum number of characters of the final message to return. Default: what fits into a short answer.',
      },
    },
    ['id'],
  ),
  job_logs: schemaOf(
    { ...job.shape, stream, attempt, offset, limit },
    {
      limit: {
        ...LOG_BYTES,
        description: 'Maximum number of bytes of each stream to return. Fewer come if the answer would be too long.',
      },
    },
    ['id'],
  ),
  send_message: schemaOf({ ...job.shape, ...createMessage.body.shape }, {}, ['id', 'text']),
  cancel_job: schemaOf({ ...job.shape, ...cancelJob.body.shape }, {}, ['id']),
  list_questions: schemaOf(
    listQuestions.params.shape,
    {
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'The next_offset of the last answer, to read further questions.',
      },
      limit: {
        ...QUESTIONS_LENGTH,
        type: 'integer',
        description:
          'Maximum number of questions to return, with all of their texts. Default: what fits into a short answer.',
      },
    },
    ['id'],
  ),
  answer_question: schemaOf({ ...job.shape, ...answerQuestion.body.shape }, {}, ['id', 'question_id', 'answer']),
  list_jobs: schemaOf(filters.shape, { limit: LIST_LENGTH }),
  list_files: schemaOf({ ...job.shape, ...filesQuery.shape }, { offset: OFFSET }, ['id']),
  read_file: schemaOf({ ...job.shape, ...fileQuery.shape }, { offset: OFFSET, limit: LIMIT }, ['id', 'path']),
  read_diff: schemaOf({ ...job.shape, attempt }, { offset: OFFSET, limit: LIMIT }, ['id']),
  list_diagrams: schemaOf(diagramQuery.shape, { offset: OFFSET }),
  read_diagram: schemaOf({ ...diagramParams.shape, ...diagramQuery.shape }, { offset: OFFSET, limit: LIMIT }, ['name']),
  keep_diagram: schemaOf({ ...diagramParams.shape, ...diagramQuery.shape, ...diagramWrite.shape }, {}, [
    'name',
    'text',
  ]),
  list_templates: schemaOf(
    { cursor: listTemplates.query.shape.cursor },
    {
      name: { type: 'string', minLength: 1, description: 'Only the template with this name, and its prompt.' },
      limit: {
        ...TEMPLATES_LENGTH,
        type: 'integer',
        description:
          'Maximum number of templates to return, with all of their texts. Default: what fits into a short answer.',
      },
    },
  ),
  list_profiles: schemaOf({ cursor: listProfiles.query.shape.cursor }, {}),
};

/** @param narrower members that replace or extend those of a field */
function schemaOf(
  shape: z.core.$ZodShape,
  narrower: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const fields = Object.entries(shape).map(([name, field]) => [name, fieldSchema(field)] as const);
  const properties: Record<string, JsonSchema> = Object.fromEntries(fields);
  for (const [name, members] of Object.entries(narrower)) properties[name] = { ...properties[name], ...members };
  return { type: 'object', properties, required, additionalProperties: false };
}

/** As in openapi.json: the `override` of a field replaces what follows from its type. */
function fieldSchema(field: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const { override, id: __, ...members } = schema as { override?: JsonSchema } & Record<string, unknown>;
  if (override === undefined) return members;
  const { description } = members;
  return { ...(description !== undefined && { description }), ...override };
}
