import { createHash } from 'node:crypto';

/** To a path of ours. */
export interface PageLink {
  readonly text: string;
  readonly path: string;
}

/** What a small page says. All of it is text; nothing is taken as markup. */
export interface PageText {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Where to go from here: a path of ours. */
  readonly link?: PageLink;
  readonly secondLink?: PageLink;
}

const STYLE = [
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}',
  'body{max-width:36rem;margin:15vh auto 0;padding:0 1.5rem}',
  'h1{font-size:1.5rem;line-height:1.25}',
  'button{font:inherit;padding:.4rem 1rem;margin:.25rem .5rem .25rem 0}',
].join('');

/** For pages that hold nothing but text and `STYLE`. */
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

/** A small page in HTML. */
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

/** A document around markup that is safe already. */
export function frame(title: string, markup: string): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(title)} - Promptq</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head}<style>${STYLE}</style></head>\n<body><main>\n${markup}\n</main></body></html>\n`;
}

/** Text as it may stand in markup and in attributes. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
