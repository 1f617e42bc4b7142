/** Something that a filter can be set to: the value that the API takes, and its name. */
export interface Suggestion {
  readonly value: string;
  readonly label?: string;
}

/**
 * What a typed text stands for: the suggestion of this name, whatever the case; else the only one that contains it,
 * as long as the suggestions are all that there are; else the text.
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
