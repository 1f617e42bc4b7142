/** Digits of a file's number in the record. */
const DIGITS = 6;
/** Characters of a file's own name that its name in the record keeps, from its end. */
const KEPT = 80;

/**
 * The name in a record of a file that a job named: its number, and what is harmless of its last part. So no path leads
 * elsewhere or hides what it is, no two differ only in case, and none is a name that a system, shell or git obeys.
 * @param number from 1
 */
export function partName(number: number, path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const plain = last.replaceAll(/[^A-Za-z0-9._-]/g, '_').replaceAll(/\.{2,}/g, '.');
  const kept = plain.slice(-KEPT).replaceAll(/^[._-]+|[._-]+$/g, '');
  return `${String(number).padStart(DIGITS, '0')}${kept === '' ? '' : `-${kept}`}`;
}
