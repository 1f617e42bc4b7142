import ts from 'typescript';

/** A part of a source that can be taken out. */
export interface Safeguard {
  /** What it stands in: a mutant keeps its name when lines are added above it. */
  readonly node: ts.Node;
  readonly from: number;
  readonly to: number;
  readonly replace: string;
  /** What becomes of it, in a word. */
  readonly what: string;
}

/** Every safeguard that a module's syntax shows: names play no part, so that none is lost by a rename. */
export function safeguardsOf(tree: ts.SourceFile): Safeguard[] {
  const found: Safeguard[] = [];
  const add = (node: ts.Node, replace: string, what: string, from = node.getStart(), to = node.getEnd()) => {
    found.push({ node, from, to, replace, what });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) property(node, add);
    if (ts.isIfStatement(node)) add(node.expression, 'false', 'never');
    else if (ts.isConditionalExpression(node)) {
      add(node.condition, 'false', 'never');
      add(node.condition, 'true', 'always');
    } else if (ts.isBinaryExpression(node)) operands(node, add);
    else if (ts.isExpressionStatement(node) && isEffect(node.expression)) add(node, ';', 'not done');
    if (isAnswer(node) && isComparison(node) && !ts.isCallExpression(node)) add(node, 'true', 'always');
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

type Add = (node: ts.Node, replace: string, what: string, from?: number, to?: number) => void;

/** What DynamoDB is asked: the condition of a write, and whether a read sees every write before it. */
function property(node: ts.PropertyAssignment, add: Add): void {
  const name = node.name.getText();
  if (name === 'ConditionExpression') conditionParts(node.initializer, add);
  const isConsistent = /^consistent(?:Read)?$/i.test(name) && node.initializer.kind === ts.SyntaxKind.TrueKeyword;
  if (isConsistent) add(node.initializer, 'false', 'read cheaply');
}

/** Each part of a condition expression becomes one that always holds; names and values stay in use. */
function conditionParts(expression: ts.Node, add: Add): void {
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node);
    if (isText) {
      for (const part of node.getText().matchAll(/attribute_\w+\([^)]*\)|[#\w.]+ (?:=|<>|<=?|>=?) :\w+/g)) {
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
    if (!isChain && !isForTheCompiler && isComparison(side)) add(side, isAnd ? 'true' : 'false', 'taken out');
  }
}

/** Whether it is a function's whole answer. */
function isAnswer({ parent }: ts.Node): boolean {
  return parent !== undefined && (ts.isReturnStatement(parent) || ts.isArrowFunction(parent));
}

function isComparison(node: ts.Node): boolean {
  const inner = ts.isParenthesizedExpression(node) ? node.expression : node;
  if (ts.isPrefixUnaryExpression(inner) || ts.isCallExpression(inner)) return !ts.isArrowFunction(inner.parent);
  return ts.isBinaryExpression(inner) && /^(?:[=!]==|[<>]=?|&&|\|\|)$/.test(inner.operatorToken.getText());
}

/** A call for its side effect, awaited or not. Log calls are excluded: they decide nothing. */
function isEffect(expression: ts.Expression): boolean {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  if (!ts.isCallExpression(inner) || inner.expression.kind === ts.SyntaxKind.SuperKeyword) return false;
  return !/(?:^|[.#])(?:log|console)\.\w+$/.test(inner.expression.getText());
}
