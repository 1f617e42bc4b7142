import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { coreEnv } from './core-env.ts';
import {
  digestList,
  flag,
  httpsOrLoopback,
  messengerApis,
  place,
  rangeList,
  roleGroups,
  sandboxList,
  wholeNumber,
} from './env-fields.ts';

/** Environment of the API's functions. */
export const apiEnv = coreEnv.extend({
  PROMPTQ_SANDBOXES: sandboxList,
  PROMPTQ_API_SCOPE_ENFORCE: flag,
  PROMPTQ_MAX_BODY_BYTES: wholeNumber(LIMITS.maxBodyBytes.default, 1, LIMITS.maxBodyBytes.max),
  PROMPTQ_VERSION: z.string().default('0.0.0'),
  /** The commit of the version; absent: not known. */
  PROMPTQ_COMMIT: z.string().optional(),
  /**
   * Location of the secrets that the deployment shares with other systems: `ssm:/folder` or `file:/folder`; absent:
   * none.
   */
  PROMPTQ_SECRETS: place.optional(),
  /** Address ranges from which a perimeter token is accepted; empty: any address. */
  PROMPTQ_PERIMETER_SOURCES: rangeList,
  /** Users of the Telegram Mini App: `user id:role`, `,`-separated. */
  PROMPTQ_TELEGRAM_USERS: z
    .string()
    .regex(/^$|^\d+:[a-z]+(,\d+:[a-z]+)*$/, 'expected a list such as 1:viewer,2:admin')
    .default(''),
  /**
   * SHA-256 of the secrets by which this deployment's CloudFront distribution proves itself; requests without one are
   * rejected, and CloudFront's client address is trusted. Empty: there is no CloudFront.
   */
  PROMPTQ_ORIGIN_DIGESTS: digestList,
  /** Maximum number of the deployment's functions that stream a followed log. */
  PROMPTQ_FOLLOW_STREAMS: wholeNumber(
    LIMITS.follow.streams.default,
    LIMITS.follow.streams.min,
    LIMITS.follow.streams.max,
  ),
  /** Requests a second that one API token may make of one process of one function; 0: unlimited. */
  PROMPTQ_TOKEN_RATE: wholeNumber(0, 0, 10_000),
  /**
   * Location of the values that only a later stack knows: the public origin and the identity provider; read for values
   * that are not set here. `ssm:/name` of a parameter, or `file:/path`.
   */
  PROMPTQ_WHEREABOUTS_AT: place.optional(),
  /**
   * The OpenID Connect issuer at which people sign in, such as a Cognito user pool's
   * `https://cognito-idp.REGION.amazonaws.com/POOL`. The client must be registered there, with
   * `PROMPTQ_PUBLIC_ORIGIN/auth/callback` as its redirect URI.
   */
  PROMPTQ_OIDC_ISSUER: httpsOrLoopback.optional(),
  PROMPTQ_OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** Location of the client's secret: `ssm:/name` of a parameter, or `file:/path`. Absent or empty: a public client. */
  PROMPTQ_OIDC_CLIENT_SECRET_AT: place.optional(),
  /** The claim of the ID token with a person's groups. */
  PROMPTQ_OIDC_ROLE_CLAIM: z.string().min(1).default('cognito:groups'),
  /** The group of each role: `viewer=GROUP,operator=GROUP,admin=GROUP`. In several groups, the highest role applies. */
  PROMPTQ_OIDC_ROLES: roleGroups,
  /** Seconds that a browser session lasts without use, and in total. */
  PROMPTQ_SESSION_IDLE_SECONDS: wholeNumber(8 * 3600, 1, 30 * 86_400),
  PROMPTQ_SESSION_MAX_SECONDS: wholeNumber(24 * 3600, 1, 30 * 86_400),
  /** The function in the workers' network that asks a login process for its code; absent: it is reachable directly. */
  LOGIN_READER_FUNCTION: z.string().optional(),
  /** The function that launches workers; absent: workers are started by other means. */
  SCALE_WORKERS_FUNCTION: z.string().optional(),
  /** The function that makes exports; absent: this process calls it. */
  MAKE_EXPORTS_FUNCTION: z.string().optional(),
  /** The function that runs readers of the feed of events; absent: this process calls it. */
  READ_FEED_FUNCTION: z.string().optional(),
  ...messengerApis,
  /** How answers from Telegram come: to the address of the subscription, or by polling, where Telegram reaches none. */
  PROMPTQ_TELEGRAM_UPDATES: z.enum(['webhook', 'polling']).default('webhook'),
  /** Set by Lambda. */
  AWS_REGION: z.string().default('unknown'),
  /** Only in the local run: its home. */
  PROMPTQ_RUN_HOME: z.string().optional(),
});
export type ApiEnv = z.output<typeof apiEnv>;
