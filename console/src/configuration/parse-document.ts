import { parseDocument } from 'yaml';

/** The text is not YAML or JSON, or not a configuration document. */
class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/**
 * Parses YAML, which includes JSON.
 * @throws DocumentFault with line and column
 */
export function readDocument(text: string): object {
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors;
  if (fault) throw new DocumentFault(fault.message);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DocumentFault('Expected an object with rules, profiles or both.');
  return value;
}
