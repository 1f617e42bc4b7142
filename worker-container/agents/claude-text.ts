/**
 * A text for claude that stays one: claude 2.1.328 takes one that begins with a slash for its command, such as
 * `/help` or `/clear`, and asks no model. A line feed before it changes nothing for a model.
 */
export function claudeText(text: string): string {
  return text.startsWith('/') ? `\n${text}` : text;
}
