import type { Deployment } from './deployment.ts';

/** The description of each setting, for docs/deploy/settings.md; a missing one does not compile. */
export const SETTING_TEXTS: Readonly<Record<keyof Deployment, string>> = {
  timeoutUnit: "unit of the jobs' `timeout`: `milliseconds`, `seconds` or `minutes`; required",
  deploymentName: 'first part of the names of the stacks; an account can have several deployments',
  adminEmail:
    "address of the first user, an admin, who gets an invitation. Another address invites another admin, and the former user stays; an address that the user pool already has can't be set: the deployment fails. Further people are added by hand",
  domain:
    'a custom domain: `{name, certificateArn, hostedZone?: {id, name}}`; the certificate is one of ACM in us-east-1; without `hostedZone` you point the name at `DistributionDomainName` yourself. Signed calls have a `result_url` only with a domain',
  webAclArn: 'a web ACL of AWS WAF with scope CLOUDFRONT, for all requests',
  alarmEmail: 'address that gets alarms by mail',
  mailFrom:
    'address that mails of subscriptions come from, which SES has to have verified, or its domain; without it there are none. See [mail](../guide/messages.md#mail)',
  dashboard: 'a CloudWatch dashboard, billed by the month',
  maxWorkers: 'maximum number of workers, up to 1,250',
  jobsPerWorker:
    'jobs that a worker runs at once, 1 to 32; workers together at most 10,000. They share the vCPUs, memory and disk of `workerSize`, so raise that too. See [several jobs on a worker](aws.md#several-jobs-on-a-worker) first',
  warmWorkers:
    'workers that wait for jobs, so that a job need not wait for a start: `{count, days?, from?, to?, timezone?}`, such as `{"count": 1, "days": ["mon", "tue"], "from": "08:00", "to": "18:00", "timezone": "Europe/Berlin"}`; `to` before `from` is on the next day. They are billed all that time',
  warmFunctions:
    'whether the functions of the main routes are called every five minutes, so that a request seldom waits for one to start; [what it costs](../operate/cost.md)',
  spotWeight:
    "percent of the worker tasks that run on Spot, 0 to 100: cheaper, and sometimes reclaimed with two minutes' notice",
  idleMinutes: 'minutes without work after which a worker exits',
  workerArchitecture: '`arm64` or `x86_64`',
  agents:
    "agents whose CLIs are in the workers' image; `shell` always is. Without `claude` the image is smaller and a worker starts sooner; jobs whose profile has a missing agent are refused",
  workerSize:
    "size of a worker's task: `vcpus` 0.25, 0.5, 1, 2, 4, 8 or 16, `memoryGb` as Fargate offers it with them, and `diskGb`, 21 to 200, for jobs that need more than the 20 GB of the task's own disk, part of which the image takes; all jobs of a worker share it",
  network:
    "the workers' network: `{availabilityZones}` for the one that the deployment creates (default: the first two zones of the region), or `{vpcId, subnets: {ZONE: SUBNET}, publicAddresses?}` for an existing one. See [the network](aws.md#the-network)",
  maxBodyBytes: 'largest request body',
  retentionDays: 'days after its end at which a job is deleted with everything that it left; 0: never',
  workspaceDays: "days after its end at which a job's private folder is deleted; 0: never",
  logRetentionDays: 'days for which logs are kept',
  scopeEnforcement: 'whether a token may do only what its scopes allow',
  deployCommands: 'whether deploy bindings may run commands',
  configFile:
    'rules and profiles that each deployment applies; default: `promptq.config.yaml` beside `cdk.json`, if it is there',
  throttling: 'requests a second on average (`rate`) and in a burst, above which the answer is 429',
  tokenRate: 'requests a second of one token to one process of a function; 0: no limit',
  followStreams:
    'followed logs that are streamed at once, one function each; further ones are polled every two seconds. The default leaves half of the ten concurrent functions of a new account',
  session: 'how long a browser session lasts without use, and at most',
  signIn:
    'your own OpenID Connect provider instead of a user pool: `{issuer, clientId, roleClaim?, groups?}`; a secret of the client is the SecureString `/DEPLOYMENT-data/oidc-client-secret`',
  publicOrigin: 'where browsers find the deployment if your own proxy is in front of CloudFront',
  originSecretVersion: 'raise it by one to replace the secret that authenticates CloudFront to the API',
  perimeterSources: 'address ranges from which the perimeter token is accepted, at most 16; none: everywhere',
  telegramUsers: 'users of a Telegram Mini App who have access, at most 40: `{"USER ID": ROLE}`',
};
