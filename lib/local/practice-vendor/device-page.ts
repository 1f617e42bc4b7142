/**
 * The page on which a person enters a one-time code.
 * @param page.said the result of the previous entry
 * @param page.needsKey whether the practice vendor's key is required too, as the connection doesn't identify its user
 */
export function devicePage({
  said,
  needsKey = false,
}: {
  readonly said?: { readonly text: string; readonly isError: boolean };
  readonly needsKey?: boolean;
}): string {
  const key = needsKey
    ? '<label for="key">Key (<code>practice_key</code> in <code>operator.json</code>)</label>\n<input id="key" name="key" type="password" required autocomplete="off">'
    : '';
  const message = said === undefined ? '' : `<p role="${said.isError ? 'alert' : 'status'}">${said.text}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Practice vendor: link a device</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 28rem; margin: 10vh auto; padding: 0 1rem; }
  input { font: 1.5rem ui-monospace, monospace; letter-spacing: .1em; width: 100%; box-sizing: border-box; padding: .5rem; text-transform: uppercase; }
  button { font: inherit; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; }
  [role] { border-left: .25rem solid; padding-left: .75rem; }
</style>
</head>
<body>
<main>
<h1>Link a device</h1>
<p>This is the practice vendor of a local run: a stand-in for the real vendor's page. No account is behind it.</p>
${message}
<form method="post" action="/codex/device">
<label for="user_code">One-time code</label>
<input id="user_code" name="user_code" required autocomplete="off" spellcheck="false" aria-describedby="hint" autofocus>
<p id="hint">Only enter a code that you asked for yourself.</p>
${key}
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>
</main>
</body>
</html>
`;
}
