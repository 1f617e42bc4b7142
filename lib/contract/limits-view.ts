/** Limits in snake_case. */
export function snakeLimits(limits: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]: [string, unknown]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'object' && value !== null ? snakeLimits(value) : value,
    ]),
  );
}

/**
 * Limits as clients read them: in snake_case like the rest of the API, and in camelCase, which v1 keeps for
 * compatibility.
 */
export function viewLimits(limits: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]: [string, unknown]) => {
      const shown = typeof value === 'object' && value !== null ? viewLimits(value) : value;
      return [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)].map((key) => [key, shown]);
    }),
  );
}
