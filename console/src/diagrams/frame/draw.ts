import mermaid from 'mermaid';
import type { DrawRequest, DrawResult } from './messages.ts';
import { originalLine } from './original-line.ts';

/*
 * The script of the frame that draws diagrams: one bundle with mermaid. The author of a diagram may be hostile, and
 * mermaid has had faults that let a diagram run scripts or fetch addresses while it is laid out. So it is laid out and
 * shown in here: a frame without an origin, which has no cookies and no storage, and whose policy lets nothing load but
 * this script. It gets a text and reports how large the drawing is, or why there is none.
 */

/** What a diagram can't set. */
const SECURE = [
  ...['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering'],
  ...['htmlLabels', 'layout', 'themeCSS', 'dompurifyConfig', 'fontFamily', 'altFontFamily'],
];

addEventListener('message', (event: MessageEvent<DrawRequest>) => {
  if (event.source !== parent) return;
  void draw(event.data).then((result) => parent.postMessage(result, '*'));
});

async function draw({ text, isDark, maxLength }: DrawRequest): Promise<DrawResult> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    layout: 'dagre',
    maxTextSize: maxLength,
    maxEdges: 500,
    suppressErrorRendering: true,
    secure: SECURE,
    theme: isDark ? 'dark' : 'default',
  });
  try {
    const { svg } = await mermaid.render('diagram', text);
    document.body.innerHTML = svg;
    // A link would lead its reader to an address of the author's choice.
    for (const link of document.querySelectorAll('a')) for (const name of LINKS) link.removeAttribute(name);
    const { width = 0, height = 0 } = document.querySelector('svg')?.viewBox.baseVal ?? {};
    return { kind: 'drawn', width, height };
  } catch (error) {
    document.body.innerHTML = '';
    return { kind: 'fault', ...faultOf(text, error) };
  }
}

const LINKS = ['href', 'xlink:href', 'target'];

/** Characters of a message: it quotes the diagram. */
const MESSAGE_LENGTH = 1_000;

/** The parsers of mermaid have nothing in common but that their messages name a line. */
function faultOf(text: string, error: unknown): { readonly message: string; readonly line?: number } {
  const whole = error instanceof Error ? error.message : String(error);
  const named = /\bline[: ]+(\d+)/i.exec(whole);
  if (named === null) return { message: whole.slice(0, MESSAGE_LENGTH) };
  const line = originalLine(text, Number(named[1]));
  return { message: whole.replaceAll(/\bline ([0-9]+)/gi, () => `line ${line}`).slice(0, MESSAGE_LENGTH), line };
}

parent.postMessage({ kind: 'ready' } satisfies DrawResult, '*');
