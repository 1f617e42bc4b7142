/**
 * One call for all that ask in the same turn: whose promises were resolved together, as those of slots that got their
 * messages by one poll. A call that has begun takes no more of them along, so no answer is older than its question.
 */
export function gathered<Asked, Answer>(
  call: (asked: readonly Asked[]) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  let next: { readonly asked: Asked[]; readonly answer: Promise<Answer> } | undefined;
  return async (one) => {
    if (next === undefined) {
      const asked: Asked[] = [];
      const answer = Promise.resolve().then(() => {
        next = undefined;
        return call(asked);
      });
      next = { asked, answer };
    }
    next.asked.push(one);
    return await next.answer;
  };
}
