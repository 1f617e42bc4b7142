/** A schema of an OpenAPI 3.0 document under construction. */
interface MutableSchema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, MutableSchema>;
  required?: string[];
  items?: MutableSchema;
  allOf?: MutableSchema[];
  anyOf?: MutableSchema[];
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: MutableSchema }>>;
}

interface MutableDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Body }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, MutableSchema>> };
}

/**
 * Marks optional properties of requests as nullable, because null counts as absent. Those of which one is required are not:
 * null in the only one of them would be absent.
 * @throws Error for a property whose schema has no type, which `nullable` requires.
 */
export function admitNulls({ paths, components }: MutableDocument): void {
  const visit = (given: MutableSchema): void => {
    const schema = given.$ref === undefined ? given : componentOf(given.$ref, components.schemas);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (!schema.required?.includes(name) && !choicesOf(schema).includes(name)) admitNull(name, member);
      visit(member);
    }
    if (schema.items !== undefined) visit(schema.items);
    for (const part of schema.allOf ?? []) visit(part);
  };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) if (schema) visit(schema);
  }
}

/** The properties of which one has to be there. */
function choicesOf({ allOf = [] }: MutableSchema): string[] {
  return allOf.flatMap(({ anyOf = [] }) => anyOf.flatMap(({ required = [] }) => required));
}

function admitNull(name: string, member: MutableSchema): void {
  // One nullable branch is enough. OpenAPI 3.0 ignores `nullable` without a type; a schema without a type allows null.
  const schema = member.anyOf?.at(-1) ?? member;
  if (schema.type !== undefined) schema.nullable = true;
  else if (schema.$ref !== undefined || schema.allOf !== undefined || schema.enum !== undefined)
    throw new Error(`the optional request property ${name} has no type, which nullable requires`);
  // The Go client of openapi-generator does not compile with the default of an enum that is no component.
  if (schema.enum !== undefined) delete schema.default;
  holdNull(schema);
}

/** OpenAPI 3.0 allows null for a nullable enum only if the enum contains it. */
export function holdNull(schema: { readonly nullable?: unknown; readonly enum?: unknown }): void {
  if (schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum.push(null);
}

function componentOf(reference: string, schemas: Readonly<Record<string, MutableSchema>>): MutableSchema {
  return schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {};
}
