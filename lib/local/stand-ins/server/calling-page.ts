import { randomBytes } from 'node:crypto';
import type { StandInReply } from './stand-in-server.ts';

/** A page of a stand-in that is no phone: a list of boxes with text, links and buttons. */
interface PageParts {
  readonly title: string;
  readonly intro: string;
  /** Defines `show(state)`, which returns elements, with the functions of `SCRIPT`. It sets foreign text as text. */
  readonly script: string;
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --box: #fff; --ink: #17212b; --soft: #5b6875; --link: #1068bf; --line: #cdd5db; }
@media (prefers-color-scheme: dark) { :root { --ground: #0e1621; --box: #182533; --ink: #f3f6f8; --soft: #a3b3c2; --link: #7cc0ff; --line: #2b3a48; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 640px; padding: 12px; font: 16px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
h1 { font-size: 20px; margin: 0; }
h2 { font-size: 16px; margin: 0; }
p, pre { margin: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
small { color: var(--soft); display: block; overflow-wrap: anywhere; }
article { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin-top: 8px; }
select, button, input { font: inherit; color: inherit; background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px; min-height: 44px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-top: 8px; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;

const SCRIPT = `
const make = (tag, more, children = []) => { const e = Object.assign(document.createElement(tag), more); e.append(...children); return e; };
const line = (tag, text) => make(tag, { textContent: text });
const box = (children) => make('article', {}, children);
const row = (children) => make('div', { className: 'row' }, children);
const button = (text, onclick) => make('button', { textContent: text, onclick });
const link = (text, href) => /^https?:/.test(href) ? make('a', { textContent: text, href, rel: 'noreferrer', target: '_blank' }) : line('span', text);
const picked = {};
const chosen = (name) => picked[name];
const pick = (name, label, options) => { picked[name] ??= options[0][0];
  const select = make('select', { onchange: () => { picked[name] = select.value; } }, options.map(([value, text]) => make('option', { value, textContent: text })));
  select.value = picked[name];
  return make('label', {}, [label + ' ', select]); };
const ask = (label, value, save) => { const input = make('input', { value });
  return make('label', { className: 'row' }, [label, input, button('Save', () => save(input.value))]); };
const call = async (path, body, method = 'POST') => { const answer = await (await fetch(path, { method, body: JSON.stringify(body) })).json();
  document.getElementById('said').textContent = answer.error || ''; await load(); };
let shown = '';
const load = async () => { const state = await (await fetch('state')).json(); const now = JSON.stringify(state);
  if (now !== shown) document.getElementById('list').replaceChildren(...show(state)); shown = now; };
const again = () => load().catch(() => {}).finally(() => setTimeout(again, 1000));
`;

export function callingPage({ title, intro, script }: PageParts): StandInReply {
  const nonce = randomBytes(16).toString('base64url');
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style nonce="${nonce}">${STYLE}</style><header><h1>${title}</h1><p>${intro}</p><p id="said" role="status"></p></header><main id="list"></main>
<script nonce="${nonce}">${SCRIPT}${script}again();</script></html>`,
  };
}
