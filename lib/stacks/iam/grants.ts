import * as z from 'zod';

/** A permission of a template's role. */
export interface Grant {
  /** Functions and tasks with the role; without any: the role itself. */
  readonly holder: string;
  readonly actions: readonly string[];
  /** In readable form: `Jobs/index/ready`. */
  readonly resources: readonly string[];
  /** Conditions: `LeadingKeys is token, session`. */
  readonly conditions: readonly string[];
}

const many = <T extends z.ZodType>(one: T) => z.union([z.array(one), one.transform((value) => [value])]);
const statementSchema = z.object({
  Effect: z.string(),
  Action: many(z.string()).optional(),
  Resource: many(z.unknown()).optional(),
  Condition: z.record(z.string(), z.record(z.string(), many(z.unknown()))).default({}),
});
const documentSchema = z.object({ Statement: many(statementSchema) });
const roleSchema = z.object({
  Policies: z.array(z.object({ PolicyDocument: documentSchema })).default([]),
  ManagedPolicyArns: z.array(z.unknown()).default([]),
});
const policySchema = z.object({ PolicyDocument: documentSchema, Roles: z.array(z.object({ Ref: z.string() })) });
const templateSchema = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.looseObject({}).default({}) })),
});

/** All permissions of a CloudFormation template's roles, in the template's order. */
export function grantsOf(template: unknown): Grant[] {
  const resources = Object.entries(templateSchema.parse(template).Resources);
  const grants: Grant[] = [];
  for (const [id, { Type, Properties }] of resources) {
    if (Type === 'AWS::IAM::Role') {
      const { Policies, ManagedPolicyArns } = roleSchema.parse(Properties);
      const holder = holderOf(id, resources);
      for (const { PolicyDocument } of Policies) grants.push(...allowed(PolicyDocument, holder));
      for (const arn of ManagedPolicyArns)
        grants.push({ holder, actions: [`policy ${spoken(arn).split('/').at(-1)}`], resources: ['*'], conditions: [] });
    }
    if (Type === 'AWS::IAM::Policy') {
      const { PolicyDocument, Roles } = policySchema.parse(Properties);
      for (const { Ref } of Roles) grants.push(...allowed(PolicyDocument, holderOf(Ref, resources)));
    }
  }
  return grants;
}

/** `NotAction` and `NotResource` cover everything except what they list. */
function allowed({ Statement }: z.output<typeof documentSchema>, holder: string): Grant[] {
  return Statement.filter(({ Effect }) => Effect === 'Allow').map(
    ({ Action = ['*'], Resource = ['*'], Condition }) => ({
      holder,
      actions: Action,
      resources: Resource.map(spoken),
      conditions: Object.entries(Condition).flatMap(([operator, keys]) =>
        Object.entries(keys).map(([key, values]) => {
          const verb = operator.includes('Not') ? 'is none of' : 'is';
          return `${key.split(':').at(-1)} ${verb} ${values.map(spoken).join(', ')}`;
        }),
      ),
    }),
  );
}

type Resources = readonly (readonly [
  string,
  { readonly Type: string; readonly Properties: Record<string, unknown> },
])[];

function holderOf(roleId: string, resources: Resources): string {
  const isRole = (value: unknown) => JSON.stringify(value) === JSON.stringify({ 'Fn::GetAtt': [roleId, 'Arn'] });
  const holders = resources.flatMap(([id, { Type, Properties }]) => {
    if (isRole(Properties.Role)) return [`${plain(id)} (${String(Properties.Description ?? Type)})`];
    if (isRole(Properties.TaskRoleArn)) return [`${plain(id)} (the worker itself)`];
    if (isRole(Properties.ExecutionRoleArn)) return [`${plain(id)} (ECS, to start it)`];
    return isRole(Properties.CloudWatchRoleArn) ? ['API Gateway (to write its logs)'] : [];
  });
  return holders.join(', ') || plain(roleId);
}

const joinSchema = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) });
const attributeSchema = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });
const importSchema = z.object({ 'Fn::ImportValue': z.string() });
const refSchema = z.object({ Ref: z.string() });
const subSchema = z.object({ 'Fn::Sub': z.string() });

/** A template's value in readable form. */
function spoken(value: unknown): string {
  if (typeof value === 'string') return value;
  const join = joinSchema.safeParse(value).data?.['Fn::Join'];
  if (join !== undefined) return join[1].map(spoken).join(join[0]);
  const attribute = attributeSchema.safeParse(value).data?.['Fn::GetAtt'];
  if (attribute !== undefined) return named(attribute[0], attribute[1]);
  const imported = importSchema.safeParse(value).data?.['Fn::ImportValue'];
  const exported = /:ExportsOutputFnGetAtt(\w+?[0-9A-F]{8})(Arn|StreamArn)/.exec(imported ?? '');
  if (exported !== null) return named(exported[1] ?? '', exported[2] ?? '');
  const ref = refSchema.safeParse(value).data?.Ref;
  if (ref !== undefined) return ref.startsWith('AWS::') ? ref.slice(5).toLowerCase() : plain(ref);
  return subSchema.safeParse(value).data?.['Fn::Sub'] ?? JSON.stringify(value);
}

function named(logicalId: string, attribute: string): string {
  return attribute === 'Arn' ? plain(logicalId) : `${plain(logicalId)} ${attribute.replace(/Arn$/, '').toLowerCase()}`;
}

/** A logical id without the hash that the CDK appends. */
function plain(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '').replace(/Resource$/, '');
}
