/** What walks a text, with the text that each call walks. */
const WALKS: readonly (readonly [object, string, (self: unknown, args: readonly unknown[]) => unknown])[] = [
  ...['replace', 'replaceAll', 'split', 'trim', 'trimStart', 'trimEnd', 'toLowerCase', 'includes'].map(
    (name) => [String.prototype, name, (self: unknown) => self] as const,
  ),
  [JSON, 'parse', (_, [text]) => text],
  [Buffer, 'from', (_, [text]) => text],
  [Buffer, 'byteLength', (_, [text]) => text],
];

/** Characters that a run had walked, and combining marks in long rows that it had normalized, which takes quadratic time. */
export function countedWork(run: () => unknown): { readonly walked: number; readonly normalized: number } {
  const work = { walked: 0, normalized: 0 };
  const restored = [
    ...WALKS.map(([owner, name, walked]) =>
      counting(owner, name, (self, args) => {
        const text = walked(self, args);
        if (typeof text === 'string') work.walked += text.length;
      }),
    ),
    counting(String.prototype, 'normalize', (self) => {
      for (const [marks] of String(self).matchAll(/\p{M}{31,}/gu)) work.normalized += marks.length;
    }),
    // Each match of a global expression continues behind the one before.
    counting(RegExp.prototype, 'exec', (self, [text], found) => {
      const isGlobal = (self as RegExp).global || (self as RegExp).sticky;
      const match = found as RegExpExecArray | null;
      work.walked += isGlobal && match !== null ? match[0].length + 1 : String(text).length;
    }),
    // A search walks from its start to what it finds.
    counting(String.prototype, 'indexOf', (self, [, from], found) => {
      const end = Number(found) < 0 ? String(self).length : Number(found);
      work.walked += Math.max(0, end - Number(from ?? 0));
    }),
  ];
  try {
    run();
  } catch {
    // Refused, which is as good.
  } finally {
    for (const restore of restored) restore();
  }
  return work;
}

function counting(
  owner: object,
  name: string,
  count: (self: unknown, args: readonly unknown[], found: unknown) => void,
): () => void {
  const known = Object.getOwnPropertyDescriptor(owner, name);
  const original = known?.value as (...args: unknown[]) => unknown;
  Object.defineProperty(owner, name, {
    ...known,
    value(this: unknown, ...args: unknown[]) {
      const found = Reflect.apply(original, this, args);
      count(this, args, found);
      return found;
    },
  });
  return () => Object.defineProperty(owner, name, known ?? {});
}
