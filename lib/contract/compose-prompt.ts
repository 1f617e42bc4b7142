/** The full prompt of an agent: the rules in the requested order, the prompt and the extra prompt, separated by blank lines. */
export function composePrompt(rules: readonly string[], texts: { prompt: string; extra_prompt?: string }): string {
  return [...rules, texts.prompt, texts.extra_prompt ?? ''].filter((part) => part !== '').join('\n\n');
}

/** Length in characters (code points), as the agents count it. */
export function promptLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) length += 1;
  return length;
}
