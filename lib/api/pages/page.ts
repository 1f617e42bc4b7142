import { createHash } from 'node:crypto';

/** A link within the service. */
interface PageLink {
  readonly text: string;
  readonly path: string;
}

/** The content of a small page, as plain text; markup is escaped. */
export interface PageText {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** A link within the service. */
  readonly link?: PageLink;
  readonly secondLink?: PageLink;
}

/** The console's colours, copied because its library is too large for a page of text. */
const COLOURS = {
  light: '--ground:#f6f6f9;--paper:#fff;--text:#0f141a;--line:#c6c6cd;--link:#006ce0;--on-link:#fff',
  dark: '--ground:#161d26;--paper:#1b232d;--text:#dedee3;--line:#424650;--link:#42b4ff;--on-link:#0f141a',
} as const;

const STYLE = [
  `:root{color-scheme:light dark;${COLOURS.light};font:16px/1.5 system-ui,sans-serif}`,
  `@media(prefers-color-scheme:dark){:root{${COLOURS.dark}}}`,
  'body{margin:12vh 1rem 2rem;background:var(--ground);color:var(--text)}',
  'main{max-width:34rem;margin:0 auto;padding:1.5rem 2rem;background:var(--paper);border:1px solid var(--line);border-radius:1rem}',
  'header{max-width:34rem;margin:0 auto .75rem;font-weight:700}',
  'h1{margin:.25rem 0 1rem;font-size:1.5rem;line-height:1.25}',
  'a{color:var(--link)}',
  'button{font:inherit;font-weight:700;padding:.3rem 1.25rem;margin:.25rem .5rem .25rem 0;cursor:pointer;',
  'border:2px solid var(--link);border-radius:1.25rem;background:none;color:var(--link)}',
  'button[autofocus]{background:var(--link);color:var(--on-link)}',
  'button:focus-visible{outline:2px solid var(--text);outline-offset:2px}',
  'input{display:block;box-sizing:border-box;width:100%;margin-top:.25rem;padding:.3rem .6rem;font:inherit;',
  'border:1px solid var(--text);border-radius:.5rem;background:none;color:inherit}',
].join('');

/** For pages with nothing but text and `STYLE`. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** Renders a small HTML page. */
export function renderPage({ title, paragraphs, link, secondLink }: PageText, requestId?: string): string {
  const body = [
    `<h1>${escapeText(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeText(text)}</p>`),
    ...[link, secondLink].flatMap((each) => (each === undefined ? [] : [linkMarkup(each)])),
    ...(requestId === undefined ? [] : [`<p><small>Request ${escapeText(requestId)}</small></p>`]),
  ];
  return frame(title, body.join('\n'));
}

function linkMarkup({ text, path }: PageLink): string {
  return `<p><a href="${escapeText(path)}">${escapeText(text)}</a></p>`;
}

/** An HTML document around safe markup. */
export function frame(title: string, markup: string): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(title)} - Promptq</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head}<style>${STYLE}</style></head>\n<body><header>Promptq</header>\n<main>\n${markup}\n</main></body></html>\n`;
}

/** Escapes text for markup and attributes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
