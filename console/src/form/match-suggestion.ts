/** A value that a filter accepts, and its display name. */
export interface Suggestion {
  readonly value: string;
  readonly label?: string;
}

/**
 * Resolves typed text to a value: the suggestion with this name in any case, otherwise the only suggestion that
 * contains it, otherwise the text.
 * @param isWhole whether the suggestions are complete; only then a part of a name is enough
 */
export function matchSuggestion(typed: string, suggestions: readonly Suggestion[], isWhole: boolean): string {
  const text = typed.trim();
  const lower = text.toLowerCase();
  const matches = (test: (name: string) => boolean) =>
    suggestions.filter(({ value, label = value }) => test(value) || test(label));
  const [exact] = matches((name) => name === text);
  const [equal] = matches((name) => name.toLowerCase() === lower);
  if (exact ?? equal) return (exact ?? equal)?.value ?? text;
  const [only, ...others] = text === '' || !isWhole ? [] : matches((name) => name.toLowerCase().includes(lower));
  return only !== undefined && others.length === 0 ? only.value : text;
}
