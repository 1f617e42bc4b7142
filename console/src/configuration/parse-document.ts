import { parseDocument } from 'yaml';

/** What is not YAML or JSON, or no document. */
class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/**
 * Reads YAML, of which JSON is a part.
 * @throws DocumentFault that names line and column
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
