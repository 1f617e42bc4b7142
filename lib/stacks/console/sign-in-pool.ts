import { Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  CfnUserPoolGroup,
  CfnUserPoolUser,
  CfnUserPoolUserToGroupAttachment,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  UserPoolClientIdentityProvider,
} from 'aws-cdk-lib/aws-cognito';
import { Construct, type IDependable } from 'constructs';
import { ROLES } from '../../contract/roles.ts';
import { finishSignIn, signedOut } from '../../contract/routes/pages.ts';
import { DEFAULT_GROUPS, type Deployment } from '../../platform/config/deployment.ts';

export interface SignInPoolProps {
  readonly deployment: Deployment;
  /** Where browsers find the deployment. */
  readonly origin: string;
  /** What must be there first: a pool is protected from deletion, so a deployment that fails could not take it back. */
  readonly after: IDependable;
}

/** The deployment's own identity provider: a pool of users whom an administrator invites, with Cognito's own pages. */
export class SignInPool extends Construct {
  /** As in ID tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly poolId: string;

  constructor(scope: Construct, id: string, { deployment, origin, after }: SignInPoolProps) {
    super(scope, id);
    const pool = this.#pool(deployment, origin);
    pool.node.addDependency(after);
    const client = this.#client(pool, origin);
    pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: domainPrefix(this, deployment) },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    // Without a style of its own a client has no page.
    new CfnManagedLoginBranding(this, 'Pages', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    this.#groups(pool, deployment);
    this.issuer = pool.userPoolProviderUrl;
    this.clientId = client.userPoolClientId;
    this.poolId = pool.userPoolId;
  }

  #pool({ deploymentName }: Deployment, origin: string): UserPool {
    const pool = new UserPool(this, 'Users', {
      userPoolName: deploymentName,
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      standardAttributes: { email: { required: true, mutable: true } },
      autoVerify: { email: true },
      // A changed address counts when it is verified.
      keepOriginal: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      userInvitation: {
        emailSubject: 'Your access to Promptq',
        emailBody: `Sign in at ${origin} as {username} with the password {####}, which works for three days and is then replaced by one of your own.`,
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const reasons = {
      'AwsSolutions-COG2': 'A second factor is offered to everybody; a team can require it in the pool.',
      'AwsSolutions-COG3':
        'Threat protection takes the Plus plan, billed for each user; nobody can sign himself up here.',
      'AwsSolutions-COG8': 'The Plus plan is billed for each user; what it adds is threat protection.',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(pool).acknowledge({ id, reason });
    return pool;
  }

  /** A public client: PKCE binds each sign-in to who began it, and there is no secret to keep. */
  #client(pool: UserPool, origin: string): UserPoolClient {
    return pool.addClient('Client', {
      generateSecret: false,
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${origin}${finishSignIn.path}`],
        logoutUrls: [`${origin}${signedOut.path}`],
      },
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      // Tokens are looked at once, when somebody signs in; the session is the service's own.
      idTokenValidity: Duration.minutes(5),
      accessTokenValidity: Duration.minutes(5),
      refreshTokenValidity: Duration.hours(1),
    });
  }

  /** A group for each role, and the first user in that of the admins. */
  #groups(pool: UserPool, { adminEmail }: Deployment): void {
    const { userPoolId } = pool;
    const groups = ROLES.map((role) => {
      const groupName = DEFAULT_GROUPS[role];
      return [role, new CfnUserPoolGroup(this, `Group-${role}`, { userPoolId, groupName })] as const;
    });
    if (adminEmail === undefined) return;
    const user = new CfnUserPoolUser(this, 'FirstUser', {
      userPoolId,
      username: adminEmail,
      desiredDeliveryMediums: ['EMAIL'],
      userAttributes: [
        { name: 'email', value: adminEmail },
        { name: 'email_verified', value: 'true' },
      ],
    });
    const membership = new CfnUserPoolUserToGroupAttachment(this, 'FirstAdmin', {
      userPoolId,
      groupName: DEFAULT_GROUPS.admin,
      username: user.ref,
    });
    for (const [role, group] of groups) if (role === 'admin') membership.addResourceDependency(group);
  }
}

/** Words that Cognito lets nobody have in a domain. */
const RESERVED = /aws|amazon|cognito/g;

/** Nobody else's in the region: the deployment's name, and of the stack's own id what is drawn by lot. */
function domainPrefix(scope: Construct, { deploymentName }: Deployment): string {
  const uuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return Fn.join('-', [deploymentName.replaceAll(RESERVED, 'x'), Fn.select(4, Fn.split('-', uuid))]);
}
