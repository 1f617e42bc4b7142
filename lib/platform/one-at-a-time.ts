/** Runs calls one after the other. */
export type OneAtATime = <T>(call: () => Promise<T>) => Promise<T>;

/** Runs calls one after the other, in the order in which they are made, whatever becomes of those before. */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const result = last.then(call);
    last = result.catch(() => undefined);
    return result;
  };
}
