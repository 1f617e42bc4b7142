/** An object without its null properties, which count as absent. Other values are returned unchanged. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Error message for a property that the schema does not have. */
export function unknownMember(known: object): (issue: { code?: string | undefined }) => string {
  return ({ code }) =>
    code === 'unrecognized_keys' ? `allowed: ${Object.keys(known).join(', ')}` : 'expected an object';
}
