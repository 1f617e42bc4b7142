import * as z from 'zod';
import { FINDING_STATES } from '../finding-states.ts';
import { jobState, stateReason } from './jobs/job-state.ts';
import { streamState } from './jobs/output.ts';

const attempt = z.number().int();
const offset = z.number().int();

/** A line of `promptq logs -f --json`: a piece of output. */
export const logOutputEvent = z
  .object({
    type: z.literal('output'),
    attempt,
    stream: z.enum(['stdout', 'stderr']),
    text: z.string().meta({ description: 'Whole characters.' }),
    offset: offset.meta({ description: 'Bytes of the stream before this piece.' }),
    next_offset: offset.meta({ description: 'Bytes of the stream with this piece.' }),
  })
  .meta({ id: 'LogOutputEvent', description: 'A line of `promptq logs -f --json`: a piece of output.' });

/** A line of `promptq logs -f --json`: the end of an attempt. */
export const logEndEvent = z
  .object({
    type: z.literal('end'),
    attempt,
    status: jobState.meta({ description: 'The current status of the job, such as QUEUED if another attempt follows.' }),
    state_reason: stateReason,
    stdout_state: streamState,
    stderr_state: streamState,
  })
  .meta({
    id: 'LogEndEvent',
    description: 'A line of `promptq logs -f --json`: the attempt has ended, and all of its output was printed.',
  });

const findingState = z.enum(FINDING_STATES);

/** What `promptq doctor --json` prints. */
export const doctorReport = z
  .object({
    state: findingState.meta({ description: 'The worst of the findings.' }),
    findings: z.array(
      z.object({
        check: z.string(),
        state: findingState,
        message: z.string(),
        advice: z.string().optional().meta({ description: 'What to do. Absent: nothing.' }),
      }),
    ),
  })
  .meta({ id: 'DoctorReport', description: 'What `promptq doctor --json` prints.' });
