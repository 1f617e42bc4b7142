/** A pattern of Lambda's event filtering: an event matches if each named leaf has one of the listed values. */
export interface EventPattern {
  readonly [name: string]: EventPattern | readonly PatternValue[];
}
export type PatternValue = { readonly exists: boolean } | { readonly 'anything-but': readonly string[] };

const UNLESS_RUNNING = { S: [{ 'anything-but': ['RUNNING'] }] };

/**
 * The records of the Jobs table's stream that count-jobs receives: those that match one of the patterns. They leave out
 * heartbeats and watch marks, which `JobStore.touch` marks as `touched` and every decided change unmarks. A change of the
 * state is let through with the mark too. Only the record's `dynamodb` is compared, as Lambda's guide demands; a created or
 * removed job matches without its `eventName`.
 */
export const COUNTED_RECORDS = [
  { dynamodb: { NewImage: { touched: { BOOL: [{ exists: false }] } } } },
  { dynamodb: { NewImage: { status: UNLESS_RUNNING } } },
  { dynamodb: { OldImage: { status: UNLESS_RUNNING } } },
] as const satisfies readonly EventPattern[];
