/*
 * The page on which a person uses the stand-in, as on a phone: choose who you are and which chat you see, press a button,
 * reply. Texts of messages are foreign, so the page sets them as text, and makes links of http and https only. It asks
 * for the state again whenever that has changed.
 */

const STYLE = `
:root { color-scheme: light dark; --bar: #fff; --ground: #e6ebee; --bubble: #fff; --mine: #d9f5c8; --ink: #17212b;
  --soft: #5b6875; --link: #1068bf; --line: #cdd5db; }
@media (prefers-color-scheme: dark) { :root { --bar: #17212b; --ground: #0e1621; --bubble: #182533; --mine: #2b5278;
  --ink: #f3f6f8; --soft: #a3b3c2; --link: #7cc0ff; --line: #2b3a48; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--ground); height: 100dvh; }
.phone { display: flex; flex-direction: column; height: 100%; max-width: 480px; margin: 0 auto; }
header, form { background: var(--bar); padding: 8px 12px; }
h1 { margin: 0 0 6px; font-size: 17px; }
.who { display: flex; gap: 8px; }
.who label { flex: 1; font-size: 13px; color: var(--soft); }
select, input, button { font: inherit; color: inherit; background: var(--bubble); border: 1px solid var(--line);
  border-radius: 8px; padding: 8px; }
select { width: 100%; display: block; }
main { flex: 1; overflow-y: auto; padding: 12px; }
ol { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 8px; }
li { max-width: 88%; align-self: flex-start; }
li.mine { align-self: flex-end; }
.bubble { background: var(--bubble); border-radius: 12px; padding: 8px 12px; overflow-wrap: anywhere; white-space: pre-wrap; }
.mine .bubble { background: var(--mine); }
.from, .when, .quote { font-size: 13px; color: var(--soft); }
.mine .from, .mine .when, .mine .quote { color: var(--ink); }
.quote { border-left: 3px solid var(--link); padding-left: 6px; margin-bottom: 4px; }
a { color: var(--link); }
pre, code { font-family: ui-monospace, monospace; font-size: 14px; margin: 0; white-space: pre-wrap; }
.keys { display: grid; gap: 4px; margin-top: 4px; }
.keys button, .reply { width: 100%; min-height: 44px; cursor: pointer; overflow-wrap: anywhere; }
.reply { margin-top: 4px; border: 0; background: none; color: var(--link); min-height: 32px; padding: 0; }
form { display: flex; gap: 8px; flex-wrap: wrap; }
form p { width: 100%; margin: 0; font-size: 13px; color: var(--soft); }
form label { flex: 1; font-size: 13px; color: var(--soft); }
form input { width: 100%; display: block; }
form button { align-self: end; min-height: 44px; }
#toast { min-height: 0; margin: 0; padding: 0 12px; background: var(--ink); color: var(--ground); }
#toast:not(:empty) { padding: 10px 12px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;

const SCRIPT = `
const $ = (id) => document.getElementById(id);
const make = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text; return e; };
const TAGS = { bold: 'b', italic: 'i', underline: 'u', strikethrough: 's', code: 'code', pre: 'pre', blockquote: 'q' };
let state; let replyTo; let pressed = ''; let shown = '';
async function call(path, body) {
  const answer = await (await fetch(path, { method: 'POST', body: JSON.stringify(body) })).json();
  if (answer.error) $('toast').textContent = answer.error;
  return answer;
}
const me = () => Number($('person').value);
const chat = () => Number($('chat').value);

function piece(entity, text) {
  if (entity === undefined) return document.createTextNode(text);
  if (entity.type !== 'text_link') return make(TAGS[entity.type] || 'span', '', text);
  const link = make('a', '', text);
  if (/^https?:/.test(entity.url)) { link.href = entity.url; link.rel = 'noreferrer'; link.target = '_blank'; }
  return link;
}

function rich({ text, entities = [] }) {
  const bubble = make('div', 'bubble');
  let at = 0;
  for (const entity of entities) {
    if (entity.offset < at) continue;
    bubble.append(text.slice(at, entity.offset));
    at = entity.offset + entity.length;
    bubble.append(piece(entity, text.slice(entity.offset, at)));
  }
  bubble.append(text.slice(at));
  return bubble;
}

function item(message) {
  const li = make('li', message.from.id === me() ? 'mine' : '');
  li.dataset.message = message.message_id;
  const bubble = rich(message);
  if (message.reply_to_message)
    bubble.prepend(make('div', 'quote', message.reply_to_message.text.slice(0, 60)));
  bubble.prepend(make('div', 'from', message.from.first_name));
  const when = new Date((message.edit_date || message.date) * 1000).toLocaleTimeString([], { timeStyle: 'short' });
  bubble.append(make('div', 'when', (message.edit_date ? 'edited ' : '') + when));
  li.append(bubble);
  const rows = message.reply_markup ? message.reply_markup.inline_keyboard : [];
  if (rows.length > 0) {
    const keys = make('div', 'keys');
    for (const key of rows.flat()) {
      const button = make('button', '', key.text);
      button.type = 'button';
      button.onclick = async () => {
        if (key.url) return void window.open(key.url, '_blank', 'noreferrer');
        const sent = await call('press', { chat: chat(), person: me(), message: message.message_id, data: key.callback_data });
        pressed = sent.query;
      };
      keys.append(button);
    }
    li.append(keys);
  }
  if (message.from.is_bot) {
    const reply = make('button', 'reply', 'Reply');
    reply.type = 'button';
    reply.onclick = () => answerTo(message, true);
    li.append(reply);
  }
  return li;
}

function answerTo(message, focus) {
  replyTo = message && message.message_id;
  $('to').textContent = message ? 'Reply to: ' + message.text.slice(0, 60) : '';
  if (message && focus) $('text').focus();
}

function draw() {
  const messages = state.messages.filter((message) => message.chat.id === chat());
  const wanted = JSON.stringify([messages, me()]);
  if (wanted === shown) return;
  shown = wanted;
  $('messages').replaceChildren(...messages.map(item));
  const isReplied = ({ message_id: id }) => messages.some(({ reply_to_message: to }) => to && to.message_id === id);
  const asking = messages.findLast((message) => state.asks.includes(message.message_id) && !isReplied(message));
  if (asking && replyTo === undefined) answerTo(asking, false);
  if (replyTo !== undefined && !messages.some((message) => message.message_id === replyTo)) answerTo(undefined);
  const main = document.querySelector('main');
  main.scrollTop = main.scrollHeight;
}

function toast() {
  const last = state.toasts.findLast((one) => one.query === pressed && one.person === me());
  $('toast').textContent = last ? last.text : '';
}

$('send').onsubmit = async (event) => {
  event.preventDefault();
  const text = $('text').value;
  if (text.trim() === '') return;
  $('text').value = '';
  const sent = { chat: chat(), person: me(), text, reply_to: replyTo };
  answerTo(undefined);
  await call('write', sent);
};
for (const id of ['person', 'chat']) $(id).onchange = () => { answerTo(undefined); draw(); toast(); };

for (;;) {
  try {
    state = await (await fetch('state' + (state ? '?after=' + state.version : ''))).json();
    draw();
    toast();
  } catch {
    $('toast').textContent = 'The stand-in does not answer.';
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
`;

interface Named {
  readonly id: number;
  readonly name: string;
}

/** The page. @param nonce of its script */
export function chatPage(
  nonce: string,
  { people, chats }: { readonly people: Named[]; readonly chats: Named[] },
): string {
  const options = (all: Named[]) => all.map(({ id, name }) => `<option value="${id}">${name}</option>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Telegram, a stand-in</title>
<style>${STYLE}</style>
</head>
<body>
<div class="phone">
<header>
<h1>Telegram, a stand-in</h1>
<div class="who">
<label>You are<select id="person">${options(people)}</select></label>
<label>Chat<select id="chat">${options(chats)}</select></label>
</div>
</header>
<main tabindex="0" aria-label="Messages"><ol id="messages"></ol></main>
<p id="toast" role="status"></p>
<form id="send" aria-label="Write a message">
<p id="to"></p>
<label>Message<input id="text" autocomplete="off"></label>
<button>Send</button>
</form>
</div>
<script type="module" nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

/** Headers of the page. */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  };
}
