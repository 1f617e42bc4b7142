/** Shorter equal parts are compared again. */
const REMEMBERED_BYTES = 64;

/**
 * Compares bytes with spellings of secrets. The time is linear in the number of bytes, whatever repeats itself in them and
 * in a spelling: bytes that were equal are looked up in the spelling's own repetitions (the Z algorithm).
 */
export class Comparisons {
  readonly bytes: Buffer;
  /** By spelling, the last bytes that were equal to its beginning. */
  readonly #equal = new Map<Buffer, { readonly from: number; readonly to: number }>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** How many bytes from a position are equal to the beginning of a spelling. */
  equalFrom(at: number, spelling: Buffer): number {
    const { bytes } = this;
    const known = this.#equal.get(spelling);
    let equal = 0;
    if (known !== undefined && at >= known.from && at < known.to) {
      equal = known.to - at;
      const repeated = repetitionsOf(spelling)[at - known.from] as number;
      if (repeated < equal) return repeated;
    }
    const most = Math.min(spelling.length, bytes.length - at);
    while (equal < most && spelling[equal] === bytes[at + equal]) equal += 1;
    if (equal >= REMEMBERED_BYTES) this.#equal.set(spelling, { from: at, to: at + equal });
    return equal;
  }
}

const REPETITIONS = new WeakMap<Buffer, Uint32Array>();

/** By position in a spelling, how many bytes from there are equal to its beginning. */
function repetitionsOf(spelling: Buffer): Uint32Array {
  const known = REPETITIONS.get(spelling);
  if (known !== undefined) return known;
  const { length } = spelling;
  const repetitions = new Uint32Array(length).fill(length, 0, 1);
  let [from, to] = [0, 0];
  for (let at = 1; at < length; at += 1) {
    let equal = at < to ? Math.min(repetitions[at - from] as number, to - at) : 0;
    while (at + equal < length && spelling[equal] === spelling[at + equal]) equal += 1;
    repetitions[at] = equal;
    if (at + equal > to) [from, to] = [at, at + equal];
  }
  REPETITIONS.set(spelling, repetitions);
  return repetitions;
}
