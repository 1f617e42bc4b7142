import * as z from 'zod';

/** The follow-up requests of an attempt, as recorded in its receipt. */
export const followUpBlocksSchema = z.object({
  /** In the order of the output; a block's position is its identity. */
  blocks: z.array(
    z.object({
      position: z.number(),
      /** Absent without a fault: the body is in the output. */
      body: z.string().optional(),
      fault: z.enum(['too_long', 'not_closed']).optional(),
    }),
  ),
  /** Blocks beyond the limit. */
  more: z.number(),
});
export type FollowUpBlocks = z.output<typeof followUpBlocksSchema>;
