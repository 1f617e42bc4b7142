import { Command, InvalidArgumentError, Option } from 'commander';
import type { TokenInfo, TokenState, TokenStore } from '../lib/access/tokens/token-store.ts';
import { enforcementOf } from '../lib/access/tokens/token-view.ts';
import { DEFAULT_SCOPES, NOT_ENFORCED, SCOPES, type Scope } from '../lib/contract/scopes.ts';
import { readScopeEnforcement } from '../lib/local/operator/scope-enforcement.ts';
import { defaultHome } from '../lib/local/run/default-home.ts';

/** Units of `--expires-in` in milliseconds. */
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const program = new Command('token')
  .description('Creates and manages API tokens of the local run, or of a deployed stack with --stack.')
  .addOption(new Option('--stack <name>', 'name of the data stack of a deployment; needs AWS credentials'))
  .addOption(
    new Option('--home <folder>', 'home of the local run')
      .env('PROMPTQ_HOME')
      .default(defaultHome(), 'that of this folder'),
  );

program
  .command('create')
  .description('create a token; it is shown only once')
  .requiredOption('--name <name>', 'purpose of the token', nonEmpty)
  .option('--scopes <list>', `comma-separated, of: ${SCOPES.join(', ')}`, scopes, [...DEFAULT_SCOPES])
  .option('--expires-in <duration>', 'for example 90d, 12h, 30m, 2s; default: never', duration)
  .option('--replaces <id>', 'token whose idempotency keys the new one takes over; it is not revoked')
  .option('--json', 'print one line of JSON and nothing else')
  .action(async (options: { name: string; scopes: Scope[]; expiresIn?: number; replaces?: string; json?: true }) => {
    const { json: _json, ...given } = options;
    const created = await withTokens((tokens) => tokens.create(given));
    const enforced = await readScopeEnforcement(target());
    if (options.json) return console.log(JSON.stringify(withEnforcement(created, enforced)));
    console.log(`${created.token}\n`);
    console.log(
      `id       ${created.id}\nscopes   ${created.scopes.join(', ')}\nexpires  ${created.expires_at ?? 'never'}`,
    );
    printNote(enforced, NOT_ENFORCED.token);
    return console.log('\nThis is the only time the token is shown.');
  });

program
  .command('list')
  .description('list tokens')
  .option('--json', 'print one line of JSON and nothing else')
  .action(async ({ json }: { json?: true }) => {
    const tokens = await withTokens((store) => store.list());
    const enforced = await readScopeEnforcement(target());
    if (json) return console.log(JSON.stringify(tokens.map((token) => withEnforcement(token, enforced))));
    if (tokens.length === 0) return console.log('There are no tokens.');
    for (const token of tokens) console.log(line(token));
    return printNote(enforced, NOT_ENFORCED.list);
  });

for (const [verb, state, description] of [
  ['suspend', 'suspended', 'reject the token until it is resumed'],
  ['resume', 'active', 'accept a suspended token again'],
  ['revoke', 'revoked', 'reject the token permanently'],
] as const satisfies readonly (readonly [string, TokenState, string])[]) {
  program
    .command(verb)
    .description(description)
    .argument('<id>', 'id of the token, from `list`')
    .option('--json', 'print one line of JSON and nothing else')
    .action(async (id: string, { json }: { json?: true }) => {
      const token = await withTokens((tokens) => tokens.setState(id, state));
      if (token === 'unknown') return program.error(`error: token ${id} does not exist; \`list\` shows all tokens`);
      if (token === 'revoked') return program.error(`error: token ${id} is revoked permanently; create another one`);
      return console.log(json ? JSON.stringify(token) : line(token));
    });
}

await program.parseAsync().catch((error: unknown) => {
  program.error(`error: ${error instanceof Error ? error.message : String(error)}`);
});

function target() {
  const { stack, home } = program.opts<{ stack?: string; home: string }>();
  return { stack, home };
}

async function withTokens<T>(work: (tokens: TokenStore) => Promise<T>): Promise<T> {
  // A wrong option is named at once, before the SDK is loaded.
  const [{ withOperatorRegistry }, { TokenStore: Tokens }] = await Promise.all([
    import('../lib/local/operator/operator-registry.ts'),
    import('../lib/access/tokens/token-store.ts'),
  ]);
  return await withOperatorRegistry(target(), (registry) => work(new Tokens(registry)));
}

/** A token with the enforcement fields of the API, if they are known here. */
function withEnforcement<T extends TokenInfo>(token: T, enforced: boolean | undefined) {
  return enforced === undefined ? token : { ...token, ...enforcementOf(enforced, token.state !== 'revoked') };
}

/** @param enforced undefined: unknown */
function printNote(enforced: boolean | undefined, note: string): void {
  if (enforced === undefined)
    console.log('\nScopes limit tokens only where the deployment enforces them (setting scopeEnforcement).');
  else if (!enforced) console.log(`\n${note}`);
}

function line(token: TokenInfo): string {
  const expiry = token.expires_at === undefined ? 'never expires' : `expires ${token.expires_at}`;
  const used = token.last_used_at === undefined ? 'never used' : `last used ${token.last_used_at}`;
  return [token.id, token.state.padEnd(9), token.scopes.join(',').padEnd(10), expiry, used, token.name].join('  ');
}

function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('it is empty');
  return value;
}

function scopes(value: string): Scope[] {
  const given = value.split(',').map((scope) => scope.trim());
  const unknown = given.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(', ')}; known: ${SCOPES.join(', ')}`);
  return SCOPES.filter((scope) => given.includes(scope));
}

function duration(value: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  if (amount === undefined || Number(amount) === 0)
    throw new InvalidArgumentError('expected a number and s, m, h or d, for example 90d');
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
}
