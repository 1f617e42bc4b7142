/**
 * Limits under the names that clients read: in snake_case as everything else of the API, and beside them in camelCase,
 * as v1 began with and keeps.
 */
export function viewLimits(limits: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]: [string, unknown]) => {
      const shown = typeof value === 'object' && value !== null ? viewLimits(value) : value;
      return [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)].map((key) => [key, shown]);
    }),
  );
}
