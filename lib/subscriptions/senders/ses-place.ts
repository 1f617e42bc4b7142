interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where SES is, and as whom mails are sent. */
export interface SesPlace {
  readonly region: () => Promise<string>;
  /** Default: SES's of the region. */
  readonly endpoint?: string | undefined;
  readonly credentials: () => Promise<Credentials>;
  /** The address that mails come from. */
  readonly from: string;
}
