/** Every limit that a client can meet, each named once. Bytes are bytes, times are seconds unless the name says otherwise. */
export const LIMITS = {
  /** Default and highest value of the deployment setting `maxBodyBytes`. Lambda's event holds the body escaped. */
  maxBodyBytes: { default: 2 * 1024 * 1024, max: 2_900_000 },
  /** Longest wait of `GET /jobs/{id}/status?wait=`: under API Gateway's 29 s. */
  statusWaitSeconds: 25,
  /** How much of each stream a result brings unless `full=1`. */
  resultStreamBytes: 10 * 1024 * 1024,
  /** How much of each stream the logs bring unless `full=1`. */
  logStreamBytes: 1024 * 1024,
  /**
   * A followed log: how long one stream lasts, the longest silence, how often the caller is judged again. Lambda does not
   * notice that a client has gone, so a stream that nobody reads runs on until its end. At most `streams` functions of a
   * deployment stream at once (its setting `followStreams`): beyond that a stream lasts `passSeconds` at most, ends once
   * it has sent what there is, and the client asks again after `pollSeconds`.
   */
  follow: {
    seconds: 55,
    silenceSeconds: 15,
    admitSeconds: 5,
    streams: { min: 0, max: 1_000, default: 5 },
    passSeconds: 5,
    pollSeconds: 2,
  },
  /** An answer of more JSON than this is written beside the output at the attempt's end, and reached by a redirect. */
  streamedAnswerBytes: 100_000_000,
  /** How long such a redirect works. */
  redirectSeconds: 60,
  /** Output of one stream of one attempt; more ends the attempt. */
  outputBytes: 1024 * 1024 * 1024,
  /** What is kept of the files that one attempt leaves: how many, bytes of one and of all, bytes of one's path, folders deep. */
  attachments: { count: 10_000, fileBytes: 1024 ** 3, totalBytes: 5 * 1024 ** 3, pathBytes: 512, depth: 32 },
  /** A larger attachment is reached by a redirect: Lambda streams no more than 200 MB. */
  streamedAttachmentBytes: 100_000_000,
  repository: { addressLength: 2_048, refLength: 255, setupLength: 16_384 },
  /** What is kept of the changes that an attempt made to a repository: bytes of the diff, characters of its summary. */
  changes: { diffBytes: 10 * 1024 * 1024, statLength: 4_000 },
  retries: { min: 0, max: 100 },
  /** Of `timeout`, in whatever unit the deployment declares; the table keeps no number nearer to 0. */
  timeout: { min: 1e-100, max: Number.MAX_SAFE_INTEGER },
  projectNameLength: 100,
  titleLength: 120,
  tags: { count: 10, length: 40 },
  /** Of profiles' names, rules' ids and models' names: as keys of the table they may have 1,024 bytes of UTF-8. */
  nameLength: 255,
  /** Rules that one job can ask for. */
  rulesPerJob: 100,
  idempotencyKeyLength: 255,
  cwdLength: 4_096,
  promptPreviewLength: 200,
  /** Prompt texts above this are kept in S3 instead of the table. */
  inlineSpecBytes: 64 * 1024,
  /** Characters of the prompt texts that the list's search looks at. */
  searchTextLength: 8_000,
  /** How many characters the codex CLI takes as a prompt. */
  codexPromptLength: 1_048_576,
  /** The claude CLI reads 10 Mi UTF-16 units of prompt, of which a character can take two. */
  claudePromptLength: 5_242_880,
  followUps: {
    /** Jobs that one job can bring about, all its attempts together. */
    perJob: 20,
    /** How far a follow-up's follow-ups go: a job that a client created has depth 0. */
    depth: 5,
    /** Longest body of a block. */
    blockBytes: 3_000_000,
    /** Blocks of one attempt that are looked at. */
    blocks: 100,
  },
  deployBindings: {
    perProject: 20,
    nameLength: 100,
    urlLength: 2_048,
    commandLength: 4_096,
    /** How long one command of a binding may run. */
    timeoutSeconds: { min: 1, max: 3_600, default: 900 },
    /** How much of the end of what a binding's commands wrote is kept. */
    logBytes: 16 * 1024,
    /** How long a signed call may take, from looking up the name to the end of the answer. */
    callSeconds: 15,
    /** How much of an answer to a signed call is read. */
    answerBytes: 64 * 1024,
    /** How much longer the secret before works after it was replaced. */
    formerSecretSeconds: 24 * 3600,
  },
  /** How many warnings a job keeps, and how long each may be. */
  warnings: { count: 10, length: 160 },
  /** Attempts that a job lists: each earlier one is read from its own record. */
  attemptsPerJob: 10,
  list: { min: 1, max: 500, default: 50 },
  /** Jobs that one request for a filtered list reads before it answers with a cursor to go on. */
  jobsReadPerList: 50_000,
  /** How long it is known who did what. */
  auditDays: 90,
  auditList: { min: 1, max: 500, default: 50 },
  searchLength: 200,
  tokenNameLength: 100,
  /** Pages of projects, rules and profiles. */
  catalogPage: { min: 1, max: 500, default: 100 },
  catalog: {
    /** Rules and profiles that one import can create or change: a transaction of the table holds 100 items, one of them its own. */
    changes: 99,
    /** All of these together, as JSON; a transaction takes 4 MB. */
    changedBytes: 3_500_000,
    /** How many a deployment can have imported. */
    rules: 1_000,
    /** Jobs of a profile that run at once: each place is looked at by whoever looks for one. */
    concurrency: { min: 1, max: 100 },
    profiles: 200,
    nameLength: 64,
    ruleNameLength: 200,
    /** UTF-16 units: 150 KB at most, of an item's 400. */
    ruleTextLength: 50_000,
    args: 100,
    argLength: 4_096,
    env: 100,
    envValueLength: 4_096,
    /** All of a profile, as JSON, in UTF-16 units. */
    profileLength: 50_000,
  },
  /** Faults of one body that a refusal names. */
  faults: 50,
} as const;
