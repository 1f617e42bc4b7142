import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Mutant } from './mutant.ts';

/** The modules whose every safeguard is taken out once: they decide about jobs, permits, leases, receipts and counts. */
const DECIDING = [
  'lib/jobs/admission/claim.ts',
  'lib/jobs/admission/folder-slots.ts',
  'lib/jobs/admission/parked-jobs.ts',
  'lib/jobs/admission/probes.ts',
  'lib/jobs/admission/profile-slots.ts',
  'lib/jobs/admission/slots.ts',
  'lib/jobs/creation/create-job.ts',
  'lib/jobs/creation/edit-job.ts',
  'lib/jobs/creation/follow-ups.ts',
  'lib/jobs/dispatch/dispatch-queues.ts',
  'lib/jobs/dispatch/transition.ts',
  'lib/jobs/lifecycle/follow-up-record.ts',
  'lib/jobs/lifecycle/lease.ts',
  'lib/jobs/lifecycle/lifecycle.ts',
  'lib/jobs/lifecycle/understood.ts',
  'lib/jobs/reread/reread-attempt.ts',
  'lib/jobs/reread/reread-job.ts',
  'lib/jobs/store/job-store.ts',
  'lib/reconciler/after-attempt.ts',
  'lib/reconciler/await-follow-ups.ts',
  'lib/reconciler/reconcile-jobs.ts',
  'lib/reconciler/reconciler.ts',
  'lib/reconciler/remove-jobs.ts',
  'lib/reconciler/starving-bands.ts',
  'lib/stats/counting/counts.ts',
];
const ATTEMPT_LOOP = [
  'worker-container/attempt/attempt-report.ts',
  'worker-container/attempt/attempt.ts',
  'worker-container/attempt/heartbeat.ts',
  'worker-container/attempt/visibility-extender.ts',
  'worker-container/commands/ending.ts',
  'worker-container/output/stream-shipper.ts',
  'worker-container/pool/message-poller.ts',
  'worker-container/pool/worker.ts',
];
export const MUTATED_FILES: readonly string[] = [...DECIDING, ...ATTEMPT_LOOP];

/** What a comparison must speak of to be a safeguard: who may write, what was asked, whether it is time. */
const SAFEGUARDED =
  /version|attempt|lease|status|terminal|parked|probing|probe|checkpoint|change_?id|cancel|kill|due|receives|sequence|pending|receipt|aborted|ready|stale|applied|known|depth|losses|retries|acknowledged|beatAt|over|drop|current|replayed|waiting|answer|reason|done|newer|finished|taken_at|now\(\)/i;

/** Functions that decide nothing: what they get wrong is shown wrong. */
const SHOWS = new Set(['dated', 'parkReasonOf', 'writeDocuments', 'differences', 'setWatched', 'room']);

/** Calls that do something which must be done. */
const EFFECTS =
  /(?:^|\.)#?(?:send|put|putReceipt|drop|extend|forget|stop|settle|settleAttempt|releaseParked|unparkAll|redeliver|deleteMany|delete|watchRunning|watchChildren|watchParked|watchReady|transition|lost|hear|keep|dispose|request|retrying|shipUpTo|createCounter|onBeat|onLost|onEndRequested)$/;

/** Every safeguard that the source of a module shows, each to be taken out by itself. */
export function foundMutants(root: string): Mutant[] {
  return MUTATED_FILES.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, replace: string, what: string, from = node.getStart(), to = node.getEnd()) => {
    const { line } = tree.getLineAndCharacterOfPosition(from);
    const shown = source.slice(from, to).replaceAll(/\s+/g, ' ').slice(0, 90);
    const name = `${file} ${functionOf(node)}(): ${what}: ${shown}`;
    const isNamed = (mutant: Mutant) => mutant.name === name || mutant.name.startsWith(`${name} · `);
    const same = mutants.filter(isNamed).length;
    mutants.push({
      name: same === 0 ? name : `${name} · ${same + 1}`,
      file,
      at: { from, to, line: line + 1 },
      find: source.slice(from, to),
      replace,
    });
  };
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && SHOWS.has(node.name?.getText() ?? ''))
      return;
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'ConditionExpression')
      conditionParts(node.initializer, add);
    else if (ts.isIfStatement(node) && SAFEGUARDED.test(node.expression.getText()))
      add(node.expression, 'false', 'never');
    else if (isJudgement(node) && !ts.isIfStatement(node.parent)) add(node, 'true', 'always');
    if (ts.isBinaryExpression(node)) operands(node, add);
    if (ts.isConditionalExpression(node) && SAFEGUARDED.test(node.condition.getText())) {
      add(node.condition, 'false', 'never');
      add(node.condition, 'true', 'always');
    }
    if (ts.isExpressionStatement(node) && isEffect(node.expression)) add(node, ';', 'not done');
    if (
      ts.isPropertyAssignment(node) &&
      /^consistent(?:Read)?$/i.test(node.name.getText()) &&
      node.initializer.getText() === 'true'
    )
      add(node.initializer, 'false', 'read cheaply');
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return mutants;
}

/** The function that something stands in: a mutant keeps its name when lines are added above it. */
function functionOf(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined) return at.name.getText();
  return '';
}

type Add = (node: ts.Node, replace: string, what: string, from?: number, to?: number) => void;

/** Each part of a condition expression becomes one that always holds; names and values stay in use. */
function conditionParts(expression: ts.Node, add: Add): void {
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node);
    if (isText) {
      for (const part of node.getText().matchAll(/attribute_\w+\([^)]*\)|[#\w.]+ = :\w+/g)) {
        const from = node.getStart() + part.index;
        add(node, `(${part[0]} OR NOT ${part[0]})`, 'without condition', from, from + part[0].length);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(expression);
}

/** Of `a && b` and `a || b` each side is taken out. */
function operands(node: ts.BinaryExpression, add: Add): void {
  const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  if (!isAnd && node.operatorToken.kind !== ts.SyntaxKind.BarBarToken) return;
  for (const side of [node.left, node.right]) {
    const isChain = ts.isBinaryExpression(side) && side.operatorToken.kind === node.operatorToken.kind;
    const guarded = /^(\S+) [!=]== undefined$/.exec(side.getText())?.[1];
    const isForTheCompiler = guarded !== undefined && node.right.getText().includes(guarded) && side === node.left;
    if (!isChain && !isForTheCompiler && isComparison(side) && SAFEGUARDED.test(side.getText()))
      add(side, isAnd ? 'true' : 'false', 'taken out');
  }
}

/** A comparison that is a function's whole answer. */
function isJudgement(node: ts.Node): boolean {
  const isAnswer =
    ts.isReturnStatement(node.parent ?? node) || (node.parent !== undefined && ts.isArrowFunction(node.parent));
  return isAnswer && !ts.isCallExpression(node) && isComparison(node) && SAFEGUARDED.test(node.getText());
}

function isComparison(node: ts.Node): boolean {
  const inner = ts.isParenthesizedExpression(node) ? node.expression : node;
  if (ts.isPrefixUnaryExpression(inner) || ts.isCallExpression(inner)) return !ts.isArrowFunction(inner.parent);
  return ts.isBinaryExpression(inner) && /^(?:[=!]==|[<>]=?|&&|\|\|)$/.test(inner.operatorToken.getText());
}

function isEffect(expression: ts.Expression): boolean {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  if (!ts.isCallExpression(inner)) return false;
  const { expression: callee } = inner;
  // `await f().catch(…)` does what `f` does.
  const chained =
    ts.isPropertyAccessExpression(callee) && ts.isCallExpression(callee.expression) ? callee.expression : undefined;
  return EFFECTS.test((chained?.expression ?? callee).getText().replaceAll(/\s+/g, ''));
}
