import * as z from 'zod';

/** What an attempt asked for, as its receipt tells it. */
export const followUpBlocksSchema = z.object({
  /** In the order of the output; a block's position is its identity. */
  blocks: z.array(
    z.object({
      position: z.number(),
      /** Absent without a fault: it is in the output. */
      body: z.string().optional(),
      fault: z.enum(['too_long', 'not_closed']).optional(),
    }),
  ),
  /** Blocks beyond those that are looked at. */
  more: z.number(),
});
export type FollowUpBlocks = z.output<typeof followUpBlocksSchema>;
