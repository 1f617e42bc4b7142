/*
 * What looks like a secret. Values that the service shows to every reader, such as the parameters of a project, must not
 * hold one: people copy a key to where it is convenient. A text is judged in three ways, and the first that applies is
 * the reason:
 *
 * - By its name. In `db_password_2`, the last word that says what the value is decides; `password_policy` and
 *   `max_tokens` name something else.
 * - By a known format: keys of vendors, private keys, signed tokens, addresses with a password.
 * - By its randomness: a run of characters as a generator of passwords writes it, of both cases and digits. Texts of one
 *   case are ids and digests more often than keys (UUID, ULID, the id of a commit), so these pass. So does what decodes
 *   to a text, a digest that says so, and a public key.
 */

/** Words that name a secret. `tokens` counts those of a model. */
const SECRET_WORDS = new Set([
  ...['password', 'passwords', 'passwd', 'passphrase', 'passcode', 'pwd', 'secret', 'secrets', 'token'],
  ...['credential', 'credentials', 'apikey', 'apikeys', 'accesskey', 'secretkey', 'privatekey', 'authtoken'],
]);
/** Words that a key may have before it without being secret. */
const PLAIN_KEYS = new Set([
  ...['primary', 'foreign', 'partition', 'sort', 'range', 'hash', 'index', 'row', 'group', 'map', 'lookup', 'cache'],
  ...['public', 'publishable', 'project', 'issue', 'ticket', 'object', 's3', 'message', 'translation', 'i18n'],
  ...['idempotency', 'registry', 'routing', 'feature', 'flag', 'hot', 'shortcut', 'config', 'env', 'json', 'label'],
]);
/** Words that tell keys apart, behind them. */
const WHICH = /^(?:prod|production|live|test|dev|stage|staging|main|default|new|old|\d+)$/;
/** Words after which a name is about a secret: its name, its place, its form. */
const ABOUT = new Set([
  ...['name', 'names', 'id', 'ids', 'url', 'uri', 'endpoint', 'host', 'path', 'file', 'dir', 'folder', 'ref', 'arn'],
  ...['limit', 'limits', 'length', 'size', 'count', 'budget', 'min', 'max', 'minimum', 'maximum', 'usage', 'price'],
  ...['policy', 'type', 'kind', 'format', 'prefix', 'suffix', 'pattern', 'algorithm', 'alg', 'bits', 'ttl', 'expiry'],
  ...['age', 'days', 'hours', 'minutes', 'seconds', 'rotation', 'provider', 'store', 'manager', 'issuer', 'audience'],
  ...['field', 'header', 'column', 'table', 'scope', 'scopes', 'required', 'enabled', 'mode', 'backend', 'version'],
  ...['symbol', 'address', 'contract', 'supply', 'decimals', 'service', 'rate', 'per'],
]);
/** Values of no use to a thief, whatever the name is. */
const SWITCH = /^(|true|false|yes|no|on|off|none|null|required|optional)$/i;

const FORMATS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY/],
  ['a private key', /\bAGE-SECRET-KEY-1[A-Z0-9]{20}/],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{30}|github_pat_[A-Za-z0-9_]{20})/],
  ['a token of GitLab', /\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{16}/],
  ['a token of Slack', /\bxox[a-z]-[A-Za-z0-9-]{10}|\bxapp-\d-[A-Za-z0-9-]{10}/],
  ['a webhook of Slack', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/./],
  ['a webhook of Discord', /discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{20}/],
  ['a key of Stripe', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10}/],
  ['a secret of a webhook', /\bwhsec_[A-Za-z0-9+/=]{20}/],
  ['a key of a model vendor', /\bsk-(?:(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{16}|[A-Za-z0-9]{32})/],
  ['a key of Google', /\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20}/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{30}/],
  ['a token of PyPI', /\bpypi-AgE[A-Za-z0-9_-]{20}/],
  ['a token of Hugging Face', /\bhf_[A-Za-z0-9]{30}/],
  ['a key of SendGrid', /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16}/],
  ['a token of a Telegram bot', /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/],
  ['a token of Vault', /\bhv[sbr]\.[A-Za-z0-9_-]{20}/],
  ['a token of DigitalOcean', /\bdo[opr]_v1_[0-9a-f]{32}/],
  ['a token of Databricks', /\bdapi[0-9a-f]{32}/],
  ['a token of Promptq', /\bpq_[A-Za-z0-9]{40}/],
  ['a signed token', /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8}/],
  ['a credential of HTTP', /\b(?:Bearer|Basic) +(?=\S*\d)[A-Za-z0-9+/_.~-]{16}/],
  ['an address with a password', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:(?![$<{*])[^\s/?#@]+@/i],
  ['a connection with a password', /\b(?:AccountKey|SharedAccessKey|Password|Pwd)=[^;\s]{6}/i],
];
/** A query's parameter with a credential, such as the signature of a presigned address. */
const IN_QUERY = /[?&](?:[\w-]*(?:token|secret|signature|password|api_?key)|sig|key)=([^&#\s]{16,})/i;

const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;
const PUBLIC_KEY = /-----BEGIN [A-Z ]*(?:PUBLIC KEY|CERTIFICATE)-----[^-]*-----END [^-]*-----|\bAAAA[A-Za-z0-9+/]+=*/g;
const DIGEST = /\b(?:sha\d+|md5|blake\d\w*)[-:=][A-Za-z0-9+/_=-]+/gi;
const RUN = /[A-Za-z0-9+/_-]{20,}={0,2}/g;
/** Letters of a word of a name, on average, a number being one too: random characters have 1.9, and 3.0 in one of 100. */
const SHORTEST_WORDS = 2.9;
/** Characters to one that separates: base64 has 32, a name of several words about 6. */
const CLOSEST_SEPARATORS = 8;

/**
 * Why a value looks like a secret, as the end of a sentence about it; undefined: it doesn't. The value is not part of it.
 * @param name in snake case
 */
export function secretFault(name: string, value: string): string | undefined {
  if (!SWITCH.test(value) && namesSecret(name)) return `${JSON.stringify(name)} names a secret`;
  const format = FORMATS.find(([, pattern]) => pattern.test(value))?.[0];
  if (format !== undefined) return `the value looks like ${format}`;
  if (IN_QUERY.test(value)) return 'the value looks like an address with a credential';
  return hasRandomRun(value) ? 'the value looks like a random key' : undefined;
}

function namesSecret(name: string): boolean {
  const words = name.split('_').filter((word) => word !== '');
  const singular = words.map((word) => word.replace(/\d+$/, '') || word);
  if (ABOUT.has(singular.at(-1) ?? '')) return false;
  return singular.some((word, at) => {
    if (word !== 'key' && word !== 'keys') return SECRET_WORDS.has(word);
    return !PLAIN_KEYS.has(singular[at - 1] ?? '') && singular.slice(at + 1).every((after) => WHICH.test(after));
  });
}

function hasRandomRun(value: string): boolean {
  const judged = value.replaceAll(PUBLIC_KEY, ' ').replaceAll(ADDRESS, ' ').replaceAll(DIGEST, ' ');
  return (judged.match(RUN) ?? []).some((run) => isRandom(run) && !isEncodedText(run));
}

function isRandom(run: string): boolean {
  if (![/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(run))) return false;
  const words = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const letters = run.replaceAll(/[^A-Za-z0-9]/g, '').length;
  const separators = run.replace(/=+$/, '').length - letters;
  return letters / words.length < SHORTEST_WORDS && separators * CLOSEST_SEPARATORS <= run.length;
}

/** Whether base64 was made of a text. Random bytes are no printable text. */
function isEncodedText(run: string): boolean {
  try {
    const bytes = Uint8Array.from(atob(run.replaceAll('-', '+').replaceAll('_', '/')), (at) => at.charCodeAt(0));
    return !/\p{Cc}/u.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/[\t\r\n]/g, ''));
  } catch {
    return false;
  }
}
