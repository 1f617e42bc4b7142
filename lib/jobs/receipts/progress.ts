import * as z from 'zod';

/** What the agent of a running attempt reported last. Heartbeats write it, so no decision depends on it. */
export const progressSchema = z.object({
  /** Masked. */
  text: z.string(),
  percent: z.number().optional(),
  /** RFC 3339. */
  at: z.string(),
});
export type Progress = z.output<typeof progressSchema>;
