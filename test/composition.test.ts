import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = globSync('{bin,lib,functions,worker-container}/**/*.ts', { cwd: ROOT })
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** Where a process is put together: for routes, triggers and workers, the local run, operators' commands, the doctor. */
const ROOTS = /^(lib\/(api\/runtime|composition|local|doctor)\/|functions\/|worker-container\/main\.ts|bin\/)/;

/** What is made outside the roots, each with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'lib/accounts/ask-login.ts LambdaClient': 'made at the first request for a login, which few processes make',
  'lib/automations/automation-store.ts DeliveryStore': 'a part of what automations store',
  'lib/automations/automation-store.ts HookSecretStore': 'a part of what automations store',
  'lib/jobs/output/reading/follow-slots.ts SharedLocks': 'the locks are what these slots consist of',
  'lib/jobs/store/job-index.ts JobSearch': 'one search, not a store',
  'lib/jobs/store/job-texts.ts JobLabelStore': 'a part of the texts',
  'lib/jobs/store/job-texts.ts JobMessageStore': 'a part of the texts',
  'lib/jobs/store/job-texts.ts QuestionStore': 'a part of the texts',
  'lib/platform/aws/call-later.ts LambdaClient': 'only where a call is made',
  'lib/platform/aws/clients.ts DynamoDBClient': 'how the roots make their clients',
  'lib/platform/aws/clients.ts S3Client': 'how the roots make their clients',
  'lib/platform/aws/clients.ts SQSClient': 'how the roots make their clients',
  'lib/platform/aws/parameters.ts SSMClient': 'loaded at its first use, from a separate file',
  'lib/workers/scaling/wake-scaling.ts LambdaClient': 'made at the first wake',
  'worker-container/secrets/secrets.ts SSMClient': 'only in the cloud',
};

test('clients and stores are made where a process is put together', () => {
  const made = /\bnew ([A-Z]\w*(?:Store|Client|Queues|Queue|Index|Search|Locks|LiveWorkers|Counts))\(/g;
  const found = SOURCES.filter(({ file }) => !ROOTS.test(file)).flatMap(({ file, text }) =>
    [...text.matchAll(made)].map(([, name]) => `${file} ${name}`),
  );
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(ELSEWHERE));
});

/** Members that are declared again because their type is narrower. */
const NARROWED = ['AttemptContext.agentSessions'];

/** A set of dependencies that functions pass on: what it extends, and what it adds. */
interface ContextType {
  readonly name: string;
  readonly file: string;
  readonly bases: readonly string[];
  readonly own: readonly string[];
}

const CONTEXTS = SOURCES.flatMap(contextsOf);

function contextsOf({ file, text }: (typeof SOURCES)[number]): ContextType[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((node) => {
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    if (!isType || !/\wContext$/.test(node.name.text)) return [];
    const bases: string[] = [];
    const own: string[] = [];
    const read = (part: ts.Node): void => {
      if (ts.isPropertySignature(part)) own.push(part.name.getText(source));
      else if (ts.isTypeReferenceNode(part) && part.typeArguments === undefined) bases.push(part.getText(source));
      else if (ts.isExpressionWithTypeArguments(part) && part.typeArguments === undefined)
        bases.push(part.getText(source));
      else if (ts.isIntersectionTypeNode(part) || ts.isTypeLiteralNode(part) || ts.isHeritageClause(part))
        ts.forEachChild(part, read);
    };
    if (ts.isTypeAliasDeclaration(node)) read(node.type);
    else for (const part of [...(node.heritageClauses ?? []), ...node.members]) read(part);
    return [{ name: node.name.text, file, bases, own }];
  });
}

const byName = new Map(CONTEXTS.map((context) => [context.name, context]));
const inherited = ({ bases }: ContextType): string[] =>
  bases.flatMap((base) => {
    const context = byName.get(base);
    return context === undefined ? [`all of ${base}`] : [...context.own, ...inherited(context)];
  });

test('a set of dependencies has one name, and repeats nothing of what it extends', () => {
  expect(CONTEXTS.length).toBeGreaterThan(30);
  expect(CONTEXTS.length).toBe(byName.size);
  const repeated = CONTEXTS.flatMap((context) => {
    const known = new Set(inherited(context));
    return context.own.filter((member) => known.has(member)).map((member) => `${context.name}.${member}`);
  });
  expect(repeated).toEqual(NARROWED);
  const basesBelow = (name: string): string[] =>
    (byName.get(name)?.bases ?? []).flatMap((base) => [base, ...basesBelow(base)]);
  const redundant = CONTEXTS.flatMap(({ name, bases }) => {
    const below = new Set(bases.flatMap(basesBelow));
    return bases.filter((base) => below.has(base)).map((base) => `${name} extends ${base}`);
  });
  expect(redundant).toEqual([]);
});

test('no two sets of dependencies are the same', () => {
  const members = (context: ContextType) => [...new Set([...context.own, ...inherited(context)])].toSorted().join(' ');
  const same = Object.values(Object.groupBy(CONTEXTS, members)).filter((group) => (group?.length ?? 0) > 1);
  expect(same.map((group) => group?.map(({ name }) => name))).toEqual([]);
});
