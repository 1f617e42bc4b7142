import * as z from 'zod';
import { LIMITS } from '../../limits.ts';
import { integerParameter } from './text.ts';

const { min, max, default: byDefault } = LIMITS.catalogPage;

/** Query parameters of paginated lists. */
export const pageQuery = z.object({
  limit: integerParameter({ min, max, default: byDefault, description: 'Maximum number of items to return.' }),
  cursor: z.string().min(1).max(2_000).optional().meta({ description: 'The `next_cursor` of the previous page.' }),
});
export type PageQuery = z.output<typeof pageQuery>;

/** Cursor of the next page. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Null on the last page. A page can contain fewer items than `limit` without being the last.' });
