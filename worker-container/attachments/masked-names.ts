import { MASK } from '../../lib/contract/mask.ts';
import type { Redaction } from '../secrets/redaction.ts';

/** Names of files as shown: secrets in them masked, and still distinct. */
export function maskedNames(names: readonly string[], redaction: Redaction): string[] {
  const masked = names.map((name) => redaction.text(name));
  const taken = new Set(names.filter((name, place) => masked[place] === name));
  const count = new Map<string, number>();
  return masked.map((name, place) => {
    if (name === names[place]) return name;
    for (;;) {
      const same = (count.get(name) ?? 0) + 1;
      count.set(name, same);
      const distinct = same === 1 ? name : name.replace(MASK, `${MASK}${same}`);
      if (taken.has(distinct)) continue;
      taken.add(distinct);
      return distinct;
    }
  });
}
