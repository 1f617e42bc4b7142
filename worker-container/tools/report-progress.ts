import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../lib/contract/input/legible.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import { type Clock, timestamp } from '../../lib/platform/aws/table-clock.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { type Tool, tool } from './tool.ts';

/** @param onProgress called with the masked text; the next heartbeat stores it */
export function reportProgress(
  onProgress: (progress: Progress) => void,
  { redaction, clock }: { readonly redaction: Redaction; readonly clock: Clock },
): Tool {
  return tool({
    name: 'report_progress',
    description:
      'Tell the people who wait for this job how far you are. They see the newest report next to the job, within 10 seconds.',
    input: z.object({
      text: z
        .string()
        .min(1)
        .max(LIMITS.progressLength, { error: `expected at most ${LIMITS.progressLength} characters`, abort: true })
        .refine(isLegible, LEGIBLE)
        .describe('One line: what is done, or what you are doing now.'),
      percent: z.number().int().min(0).max(100).optional().describe('How much of the whole job is done.'),
    }),
    async call({ text, percent }) {
      const masked = redaction.text(text);
      onProgress({ text: masked, ...(percent !== undefined && { percent }), at: timestamp(clock.now()) });
      return 'Noted.';
    },
  });
}
