import type { Deployment } from './deployment.ts';

/** What docs/deploy/settings.md says of each setting; one that is missing here does not compile. */
export const SETTING_TEXTS: Readonly<Record<keyof Deployment, string>> = {
  timeoutUnit: "unit of the jobs' `timeout`: `milliseconds`, `seconds` or `minutes`; needed, as nobody can guess it",
  deploymentName: 'begins the names of the stacks; an account can have several deployments',
  adminEmail: 'who is invited as the first user, an admin',
  domain:
    'a name of your own: `{name, certificateArn, hostedZone?: {id, name}}`; the certificate is one of ACM in us-east-1; without `hostedZone` you point the name at `DistributionDomainName` yourself. With a name known beforehand signed calls have a `result_url`',
  webAclArn: 'a web ACL of AWS WAF, scope CLOUDFRONT, before everything',
  alarmEmail: 'who is told of alarms',
  dashboard: 'a CloudWatch dashboard, billed by the month',
  maxWorkers: 'most workers at once',
  spotWeight:
    "percent of the worker tasks that run on Spot, 0 to 100: cheaper, and now and then taken away with two minutes' notice",
  idleMinutes: 'minutes without work after which a worker leaves',
  workerArchitecture: '`arm64` or `x86_64`',
  maxBodyBytes: 'largest request body',
  retentionDays: 'days after its end at which a job goes with all that it left; 0: never',
  workspaceDays: 'days after its end at which the folder goes that a job had to itself; 0: never',
  logRetentionDays: 'days for which logs are kept',
  scopeEnforcement: 'whether a token may do only what its scopes allow',
  deployCommands: 'whether deploy bindings may run commands',
  configFile:
    'rules and profiles that each deployment applies; default: `promptq.config.yaml` beside `cdk.json`, if it is there',
  throttling: 'requests a second, on average and at once, beyond which the answer is 429',
  tokenRate: 'requests a second of one token to one process of one function; 0: no limit',
  followStreams:
    'followed logs that are streamed at once, one function each; further ones are polled every two seconds. The default leaves half of the ten concurrent functions of a new account',
  session: 'how long a browser session lasts without use, and at most',
  signIn:
    'your own OpenID Connect provider instead of a user pool: `{issuer, clientId, roleClaim?, groups?}`; a secret of the client is the SecureString `/DEPLOYMENT-data/oidc-client-secret`',
  publicOrigin: 'where browsers find the deployment if a proxy of yours stands before CloudFront',
  originSecretVersion: 'raise it by one to replace the secret by which CloudFront proves itself to the API',
  perimeterSources: 'address ranges from which the perimeter token counts, at most 16; none: everywhere',
  telegramUsers: 'who may come in by a Telegram Mini App, at most 40: `{"USER ID": ROLE}`',
};
