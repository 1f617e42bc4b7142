import ts from 'typescript';
import { type Safeguard, safeguardsOf } from './safeguards.ts';

/** Members and arguments whose texts and numbers people read or see, and nothing decides by. */
const SHOWN_MEMBERS =
  /^(?:about|options|description|summary|title|header|label|means|reason|message|text|example\w*|placeholder|content|style|className|id|key|pictured|\w*(?:Label|Text|Title|Width|Height|Size|Description))$/;
const SHOWN_CALLS = /(?:^|\.)(?:meta|describe|description|log|warn|info|error|debug|option|argument|notify)$/;

const OPPOSITE: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);

/** A comparison with a clock's reading, which no clock shows at exactly the boundary. */
const MOMENT = /\bnow\b|\bmtimeMs\b/;

/** Calls without which a timer, a stream or a listener only lives longer than anyone needs it. */
const RELEASES = /(?:^|\.)(?:clearTimeout|clearInterval|unref|removeEventListener)$/;
const LOGGER_CALLS = /(?:^|\.)log\.(?:info|warn|error|debug)$/;

/** Units of a length of time in CDK's words, each with one that means something else. */
const UNITS: Readonly<Record<string, string>> = {
  seconds: 'minutes',
  minutes: 'seconds',
  hours: 'minutes',
  days: 'hours',
};

/** All breaks that a random sample of the whole product is drawn from; each is meant to compile. */
export function breaksOf(tree: ts.SourceFile): Safeguard[] {
  const found: Safeguard[] = safeguardsOf(tree).filter(({ node }) => !isWithoutEffect(node));
  const literals = stringsByTopic(tree);
  const add = (node: ts.Node, replace: string, what: string) =>
    found.push({ node, from: node.getStart(), to: node.getEnd(), replace, what });
  const visit = (node: ts.Node): void => {
    if (isShown(node) || ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isIfStatement(node) && onlyLogs(node)) return;
    if (ts.isBinaryExpression(node)) {
      const opposite = OPPOSITE.get(node.operatorToken.kind);
      if (opposite !== undefined && !MOMENT.test(node.getText())) add(node.operatorToken, opposite, 'boundary');
    }
    if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText()})`, 'negated');
    const isMode = ts.isNumericLiteral(node) && node.getText().startsWith('0o');
    if (isMode && node.getText() !== '0o777') add(node, '0o777', 'open to all');
    if (ts.isNumericLiteral(node) && !isMode && isQuantity(node)) add(node, timesTen(node), 'ten times');
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'Duration') {
      const unit = UNITS[node.name.text];
      if (unit !== undefined) add(node.name, unit, 'unit');
    }
    if (ts.isReturnStatement(node) && node.expression !== undefined) {
      if (node.expression.kind === ts.SyntaxKind.TrueKeyword) add(node.expression, 'false', 'answer');
      if (node.expression.kind === ts.SyntaxKind.FalseKeyword) add(node.expression, 'true', 'answer');
    }
    if (ts.isStringLiteral(node) && !node.text.includes(' ')) {
      const topic = topicOf(node);
      const other = literals.get(topic ?? '')?.find((literal) => literal !== node.getText());
      if (other !== undefined) add(node, other, 'another word');
    }
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 1 && node.elements.every(ts.isStringLiteral)) {
      const rest = node.elements.slice(1).map((element) => element.getText());
      add(node, `[${rest.join(', ')}]`, 'one less');
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Whether a condition decides about a line of the log and nothing else. */
function onlyLogs({ thenStatement, elseStatement }: ts.IfStatement): boolean {
  if (elseStatement !== undefined || !ts.isExpressionStatement(thenStatement)) return false;
  const { expression } = thenStatement;
  return ts.isCallExpression(expression) && LOGGER_CALLS.test(expression.expression.getText());
}

/** Is shown or logged, releases something, or words the error of code that throws no Error. */
function isWithoutEffect(node: ts.Node): boolean {
  for (let of = node; !ts.isStatement(of) && !ts.isSourceFile(of); of = of.parent) if (isShown(of)) return true;
  if (ts.isIfStatement(node.parent) && node.parent.expression === node && onlyLogs(node.parent)) return true;
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression))
    return RELEASES.test(node.expression.expression.getText());
  return ts.isConditionalExpression(node.parent) && /^\w+ instanceof Error$/.test(node.getText());
}

function isShown(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node)) return SHOWN_MEMBERS.test(node.name.getText());
  if (ts.isJsxAttribute(node)) return !/^on[A-Z]|disabled|loading|visible$/.test(node.name.getText());
  return ts.isCallExpression(node) && SHOWN_CALLS.test(node.expression.getText());
}

/** Not an index, a mode, a digit to show, or a place in a list; 0 and 1 are what boundaries are for. */
function isQuantity({ text, parent }: ts.NumericLiteral): boolean {
  if (!/^\d[\d_]*(?:\.\d+)?$/.test(text) || Number(text) < 2) return false;
  return (
    ts.isPropertyAssignment(parent) ||
    ts.isVariableDeclaration(parent) ||
    (ts.isBinaryExpression(parent) && !/^[=!]==$/.test(parent.operatorToken.getText())) ||
    (ts.isCallExpression(parent) && /Duration\.|\.max$|\.min$/.test(parent.expression.getText()))
  );
}

function timesTen({ text }: ts.NumericLiteral): string {
  return String(Number(text.replaceAll('_', '')) * 10);
}

/** What a text is one of several values of: what it is compared with, or the member that it is given to. */
function topicOf({ parent }: ts.StringLiteral): string | undefined {
  if (ts.isBinaryExpression(parent) && /^[=!]==$/.test(parent.operatorToken.getText()))
    return parent.left.getText().split(/[.?]+/).at(-1);
  return ts.isPropertyAssignment(parent) ? parent.name.getText() : undefined;
}

/** Literals as they are written, without sentences. */
function stringsByTopic(tree: ts.SourceFile): ReadonlyMap<string, readonly string[]> {
  const topics = new Map<string, string[]>();
  const visit = (node: ts.Node): void => {
    const topic = ts.isStringLiteral(node) && !node.text.includes(' ') ? topicOf(node) : undefined;
    if (ts.isStringLiteral(node) && topic !== undefined)
      topics.set(topic, [...(topics.get(topic) ?? []), node.getText()]);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return topics;
}
