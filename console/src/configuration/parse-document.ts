import { parseDocument } from 'yaml';

/** The text is not YAML or JSON, or not a configuration document. */
class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Parses YAML, which includes JSON.
 * @throws DocumentError with line and column
 */
export function readDocument(text: string): object {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) throw new DocumentError(error.message);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DocumentError('Expected an object with rules, profiles or both.');
  return value;
}
