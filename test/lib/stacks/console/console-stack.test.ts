import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { serviceEndpointsSchema } from '../../../../lib/access/service-endpoints.ts';
import { DEFAULT_GROUPS } from '../../../../lib/platform/config/deployment.ts';
import { functionsById } from '../api/api-methods.ts';
import { propertiesOfOnly, resourcesOf } from '../synthesis.ts';
import { twoDeployments } from '../two-deployments.ts';

const { plain, rich } = twoDeployments({ validates: true });

describe('signing in', () => {
  const serviceEndpointsOf = (stack: Stack) => propertiesOfOnly(stack, 'AWS::SSM::Parameter');

  test('admits invited users, with strong passwords and an optional second factor', () => {
    const [pool] = resourcesOf(plain.console, 'AWS::Cognito::UserPool').values();
    expect(pool).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
        DeletionProtection: 'ACTIVE',
        MfaConfiguration: 'OPTIONAL',
        EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
        Policies: {
          PasswordPolicy: {
            MinimumLength: 12,
            // As the invitation says.
            TemporaryPasswordValidityDays: 7,
            RequireLowercase: true,
            RequireUppercase: true,
            RequireNumbers: true,
            RequireSymbols: true,
          },
        },
        UsernameAttributes: ['email'],
        UserPoolTier: 'ESSENTIALS',
      },
    });
  });

  test('uses a code that PKCE binds, and returns to the distribution', () => {
    const client = propertiesOfOnly(plain.console, 'AWS::Cognito::UserPoolClient');
    const url = (path: string) => ({
      'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [expect.stringMatching(/^Distribution/), 'DomainName'] }, path]],
    });
    expect(client).toMatchObject({
      AllowedOAuthFlows: ['code'],
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      CallbackURLs: [url('/auth/callback')],
      LogoutURLs: [url('/auth/signed-out')],
      GenerateSecret: false,
      PreventUserExistenceErrors: 'ENABLED',
    });
  });

  test("has Cognito's own pages, under a unique name", () => {
    expect(propertiesOfOnly(plain.console, 'AWS::Cognito::ManagedLoginBranding')).toMatchObject({
      UseCognitoProvidedValues: true,
    });
    const { Domain, ManagedLoginVersion } = propertiesOfOnly(plain.console, 'AWS::Cognito::UserPoolDomain');
    expect(ManagedLoginVersion).toBe(2);
    const text = JSON.stringify(Domain);
    expect(text).toContain('AWS::StackId');
    // Cognito refuses these words; in the name of the intrinsic function they do not matter.
    expect(text.replace('AWS::StackId', '')).toMatch(/"my-x-queue"/);
  });

  test('makes the first user an administrator', () => {
    const groups = [...resourcesOf(plain.console, 'AWS::Cognito::UserPoolGroup').values()];
    expect(groups.map(({ Properties }) => Properties.GroupName).sort()).toEqual(Object.values(DEFAULT_GROUPS).sort());
    expect(propertiesOfOnly(plain.console, 'AWS::Cognito::UserPoolUser')).toMatchObject({
      Username: 'ada@example.com',
      DesiredDeliveryMediums: ['EMAIL'],
      UserAttributes: [
        { Name: 'email', Value: 'ada@example.com' },
        { Name: 'email_verified', Value: 'true' },
      ],
    });
    expect(propertiesOfOnly(plain.console, 'AWS::Cognito::UserPoolUserToGroupAttachment')).toMatchObject({
      GroupName: DEFAULT_GROUPS.admin,
      Username: { Ref: expect.stringMatching(/^SignInFirstUser/) },
    });
  });

  test('is passed to functions in a parameter that they read on demand', () => {
    const { Name, Value } = serviceEndpointsOf(plain.console);
    expect(functionsById(plain.api).get('auth.sign-in')?.environment).toMatchObject({
      PROMPTQ_WHEREABOUTS_AT: `ssm:${Name}`,
    });
    const [, parts] = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }).parse(Value)['Fn::Join'];
    const text = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
    expect(serviceEndpointsSchema.parse(JSON.parse(text.replace('"issuer":"x"', '"issuer":"https://x"')))).toEqual({
      public_origin: 'https://x',
      issuer: 'https://x',
      client_id: 'x',
    });
  });

  test('at another provider creates no pool, and is known from the start', () => {
    const types = [...resourcesOf(rich.console).values()].map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::Cognito'))).toEqual([]);
    expect(JSON.parse(String(serviceEndpointsOf(rich.console).Value))).toEqual({
      public_origin: 'https://queue.example.com',
    });
    expect(functionsById(rich.api).get('auth.sign-in')?.environment).toMatchObject({
      PROMPTQ_PUBLIC_ORIGIN: 'https://queue.example.com',
      PROMPTQ_OIDC_ISSUER: 'https://id.example.com',
    });
  });
});

describe('two deployments in one account', () => {
  /** Names within something that is a deployment's own already. */
  const WITHIN =
    /^(AWS::ApiGateway::(?!RestApi)|AWS::Cognito::UserPool(Group|UserToGroupAttachment)$|AWS::Route53::RecordSet$|AWS::IAM::Policy$)/;
  const isName = (key: string) => /(Name|Family|Domain)$/.test(key) && !/^(Table|Service|Metric)Name$/.test(key);

  function namesOf(stack: Stack): string[] {
    const named = (type: string, properties: object): string[] =>
      Object.entries(properties).flatMap(([key, value]) => {
        const isNested = key.endsWith('Config') && typeof value === 'object' && value !== null;
        if (isNested && !Array.isArray(value)) return named(type, value);
        return isName(key) ? [`${type} ${key} ${JSON.stringify(value)}`] : [];
      });
    return [...resourcesOf(stack).values()].flatMap(({ Type, Properties }) =>
      WITHIN.test(Type) ? [] : named(Type, Properties).filter((name) => !name.includes('Fn::GetAtt')),
    );
  }

  test.each(['data', 'api', 'worker', 'console'] as const)('share no name of the %s stack, and no export', (id) => {
    const [one, other] = [namesOf(plain[id]), namesOf(rich[id])];
    expect(one.filter((name) => other.includes(name) && !/"Ref":"(?!AWS::)/.test(name))).toEqual([]);
    for (const stack of [plain[id], rich[id]]) {
      const outputs = z
        .record(z.string(), z.object({ Export: z.object({ Name: z.string() }).optional() }))
        .parse(Template.fromStack(stack).toJSON().Outputs ?? {});
      for (const { Export } of Object.values(outputs))
        expect(Export?.Name ?? stack.stackName).toMatch(new RegExp(`^${stack.stackName}`));
      for (const { Properties } of resourcesOf(stack, 'AWS::Logs::LogGroup').values())
        expect(Properties).not.toHaveProperty('LogGroupName');
    }
  });
});
