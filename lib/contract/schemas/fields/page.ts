import * as z from 'zod';
import { LIMITS } from '../../limits.ts';
import { integerParameter } from './text.ts';

const { min, max, default: byDefault } = LIMITS.catalogPage;

/** Query of the lists that are read page by page. */
export const pageQuery = z.object({
  limit: integerParameter({ min, max, default: byDefault, description: 'Most items of the answer.' }),
  cursor: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .meta({ description: '`next_cursor` of the page before: goes on there.' }),
});
export type PageQuery = z.output<typeof pageQuery>;

/** What follows the items of a page. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Null after the last page. A page can hold fewer items than asked for and not be the last.' });
