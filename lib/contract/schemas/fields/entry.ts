/** An object without its members that are null, which count as absent; anything else as it is. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** What is said of a member that the schema has not. */
export function unknownMember(known: object): (issue: { code?: string | undefined }) => string {
  return ({ code }) =>
    code === 'unrecognized_keys' ? `allowed: ${Object.keys(known).join(', ')}` : 'expected an object';
}
