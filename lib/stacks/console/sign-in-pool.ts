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

interface SignInPoolProps {
  readonly deployment: Deployment;
  /** The deployment's public origin. */
  readonly origin: string;
  /**
   * Resources that must exist first: a pool is protected from deletion, so a failed deployment could not roll it back.
   */
  readonly after: IDependable;
}

/** The deployment's identity provider: a user pool to which administrators invite users, with Cognito's own pages. */
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
    // A client without a style has no pages.
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
      // A changed address takes effect once it is verified.
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
        tempPasswordValidity: Duration.days(7),
      },
      userInvitation: {
        emailSubject: 'Your access to Promptq',
        emailBody: `Sign in at ${origin} as {username} with the password {####}, which works for seven days and is then replaced by one of your own.`,
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const reasons = {
      'AwsSolutions-COG2': 'A second factor is offered to everybody; a team can require it in the pool.',
      'AwsSolutions-COG3':
        'Threat protection requires the Plus plan, billed for each user; self-registration is disabled.',
      'AwsSolutions-COG8': 'The Plus plan is billed for each user; what it adds is threat protection.',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(pool).acknowledge({ id, reason });
    return pool;
  }

  /** A public client: PKCE binds each sign-in to the browser that started it, and there is no secret to keep. */
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
      // Tokens are read once, at sign-in; the session is the service's own.
      idTokenValidity: Duration.minutes(5),
      accessTokenValidity: Duration.minutes(5),
      refreshTokenValidity: Duration.hours(1),
    });
  }

  /** A group for each role, and the first user in the admins' group. */
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
    // Another or no `adminEmail` must not delete a person's account, nor their role.
    for (const kept of [user, membership]) kept.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    for (const [role, group] of groups) if (role === 'admin') membership.addResourceDependency(group);
  }
}

/** Words that Cognito rejects in a domain. */
const RESERVED = /aws|amazon|cognito/g;

/** Unique in the region: the deployment's name, and the random part of the stack's id. */
function domainPrefix(scope: Construct, { deploymentName }: Deployment): string {
  const uuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return Fn.join('-', [deploymentName.replaceAll(RESERVED, 'x'), Fn.select(4, Fn.split('-', uuid))]);
}
