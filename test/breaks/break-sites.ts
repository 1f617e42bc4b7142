import ts from 'typescript';

/** A change of a source that alters what it does. */
export interface BreakSite {
  readonly operator: string;
  /** Offsets of the replaced text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Fields of DynamoDB requests whose loss shows only when processes meet or a read lags. */
const DYNAMO_FIELDS: Readonly<Record<string, string>> = { ConditionExpression: 'undefined', ConsistentRead: 'false' };

const { SyntaxKind } = ts;
const SWAPS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.PlusToken]: '-',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
};

/** Every break of a source. Texts are left alone: most are messages, whose wording is no behaviour. */
export function breakSites(path: string, source: string): BreakSite[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const sites: BreakSite[] = [];
  const replace = (operator: string, node: ts.Node, text: string) =>
    sites.push({ operator, start: node.getStart(file), end: node.end, text });
  const negate = (condition: ts.Expression) => replace('negate condition', condition, `!(${condition.getText(file)})`);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    else if (ts.isConditionalExpression(node)) negate(node.condition);
    else if (ts.isBinaryExpression(node)) {
      const swapped = SWAPS[node.operatorToken.kind];
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (swapped !== undefined && !isText) replace('swap operator', node.operatorToken, swapped);
      if (node.operatorToken.kind === SyntaxKind.QuestionQuestionToken)
        replace('drop default', node, `(${node.left.getText(file)})`);
    } else if (node.kind === SyntaxKind.TrueKeyword) replace('flip boolean', node, 'false');
    else if (node.kind === SyntaxKind.FalseKeyword) replace('flip boolean', node, 'true');
    else if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent.parent))
      replace('change number', node, `(${node.text} + 1)`);
    else if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression))
      replace('remove statement', node, ';');
    else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
      const value = DYNAMO_FIELDS[node.name.text];
      if (value !== undefined) replace(`drop ${node.name.text}`, node.initializer, value);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return sites;
}
