/** All limits that apply to clients. Sizes are in bytes and times in seconds, unless the name says otherwise. */
export const LIMITS = {
  /** Default and maximum of the deployment setting `maxBodyBytes`. Lambda's event contains the body escaped. */
  maxBodyBytes: { default: 2 * 1024 * 1024, max: 2_900_000 },
  /** Maximum of `GET /jobs/{id}/status?wait=`: below API Gateway's timeout of 29 s. */
  statusWaitSeconds: 25,
  /** Length of each stream in a result without `full=1`. */
  resultStreamBytes: 10 * 1024 * 1024,
  /** Length of each stream in the logs without `full=1`. */
  logStreamBytes: 1024 * 1024,
  /**
   * A followed log: duration of one stream, maximum silence, and interval at which the caller is authorized again. Lambda
   * does not notice that a client has disconnected, so an abandoned stream runs until its end. At most `streams` functions
   * of a deployment stream at a time (setting `followStreams`). Beyond that, a stream ends when it has sent the existing
   * output, after `passSeconds` at most, and the client reconnects after `pollSeconds`.
   */
  follow: {
    seconds: 55,
    silenceSeconds: 15,
    admitSeconds: 5,
    streams: { min: 0, max: 1_000, default: 5 },
    passSeconds: 5,
    pollSeconds: 2,
  },
  /**
   * A streamed response: time to its first byte, after how much silence a slow one sends white space, and after how much
   * CloudFront gives up.
   */
  stream: { firstByteSeconds: 50, silenceSeconds: 15, readTimeoutSeconds: 60 },
  /**
   * A larger attachment is served by a redirect to the store. So is a larger JSON response, which is stored with the output
   * when the attempt ends. After its first 6 MB, a function streams 2 MB a second.
   */
  streamedBytes: 20_000_000,
  /** Parts of a job's record before they are compressed: an archive that Lambda can stream, which is 200 MB at most. */
  recordBytes: 150_000_000,
  /** Lifetime of such a redirect. */
  redirectSeconds: 60,
  /** Output of one stream of an attempt. More output ends the attempt. */
  outputBytes: 1024 * 1024 * 1024,
  /** Attachments of one attempt: number of files, bytes per file and in total, bytes per path, depth of folders. */
  attachments: { count: 10_000, fileBytes: 1024 ** 3, totalBytes: 5 * 1024 ** 3, pathBytes: 512, depth: 32 },
  /**
   * What an attempt keeps of its job's folder: entries that are listed, bytes per file and in total, bytes per path, depth
   * of folders. `scanned`: entries that are looked at; `seconds`: how long that may take.
   */
  files: {
    ...{ count: 5_000, fileBytes: 10 * 1024 ** 2, totalBytes: 64 * 1024 ** 2, pathBytes: 512, depth: 32 },
    ...{ scanned: 50_000, seconds: 60 },
  },
  repository: { addressLength: 2_048, refLength: 255, setupLength: 16_384 },
  /** Recorded changes to a repository: bytes of the diff, characters of its summary, bytes of a file that is compared. */
  changes: { diffBytes: 10 * 1024 * 1024, statLength: 4_000, fileBytes: 100 * 1024 * 1024 },
  retries: { min: 0, max: 100 },
  /** Range of `timeout` in the unit of the deployment. The table can't store numbers closer to 0. */
  timeout: { min: 1e-100, max: Number.MAX_SAFE_INTEGER },
  projectNameLength: 100,
  titleLength: 120,
  tags: { count: 10, length: 40 },
  /** Names of profiles and models, and ids of rules. As table keys they may have 1,024 bytes of UTF-8. */
  nameLength: 255,
  /** Rules that one job can reference. */
  rulesPerJob: 100,
  idempotencyKeyLength: 255,
  cwdLength: 4_096,
  promptPreviewLength: 200,
  /** Length of a report of an agent about its progress. */
  progressLength: 200,
  /** Longer prompt texts are stored in S3 instead of the table. */
  inlineSpecBytes: 64 * 1024,
  /** Characters of the prompt texts that the search covers. */
  searchTextLength: 8_000,
  /** Messages to one job, and the length of each. */
  messages: { perJob: 100, textBytes: 32 * 1024 },
  /** Jobs of one thread. Each claim of a turn reads the turns before it. */
  turnsPerThread: 1_000,
  /** What a fork copies of a folder, bytes. */
  forkFolderBytes: 10 * 1024 ** 3,
  /** What a job that can't continue the session of its thread gets of the earlier turns. */
  threadRecordBytes: 64 * 1024,
  followUps: {
    /** Follow-up jobs of one job, over all its attempts. */
    perJob: 20,
    /** Descendants of one job that a client created. */
    perTree: 100,
    /** Maximum depth of follow-ups. A job that a client created has depth 0. */
    depth: 5,
    /** Maximum length of a block: no request that creates a job may be longer. */
    blockBytes: 2_900_000,
    /** Blocks of one attempt that are processed. */
    blocks: 100,
    /** Blocks that are not in the receipt are looked for in the output for this long. */
    searchSeconds: 60,
  },
  questions: {
    /** Questions of one job, over all its attempts. */
    perJob: 20,
    /** Length of a question, and of its default answer. */
    textBytes: 2_048,
    options: 10,
    optionLength: 200,
    answerBytes: 16 * 1024,
    deadlineSeconds: { min: 1, max: 30 * 24 * 3600, default: 7 * 24 * 3600 },
    /** How long an agent waits for an answer before its turn has to end, and then until it is asked to stop. */
    waitSeconds: 45,
    endSeconds: 30,
  },
  /** The feed of events: retention, and packets (one a batch of the table's stream) that one request reads at most. */
  events: { days: 30, packetsRead: 500, list: { min: 1, max: 500, default: 100 } },
  automations: {
    nameLength: 100,
    expressionLength: 100,
    /** Its job as JSON. */
    jobBytes: 64 * 1024,
    everySeconds: { min: 60, max: 366 * 86_400 },
    /** Seconds within which the jobs of an automation start after their due instants. */
    jitterSeconds: { min: 0, max: 3_600 },
    /** Failures in a row after which it pauses. 0: never. */
    pauseAfterFailures: { min: 0, max: 100, default: 5 },
    /** Due instants that are shown before they come. */
    preview: 5,
    /** What a calendar shows of due instants: days, and automations of a page, because each takes up to 50 ms. */
    calendar: { days: 8, perPage: 20 },
    /** Missed instants that `missed: all` makes up for. */
    catchUp: 100,
    /** An instant that is evaluated later than this has been missed. */
    lateSeconds: 300,
    /** Events in a chain of jobs that start each other. */
    eventDepth: 5,
    /** How long a run stays in the history. */
    runsDays: 90,
    list: { min: 1, max: 100, default: 50 },
  },
  hooks: {
    bodyBytes: 64 * 1024,
    depth: 100,
    /** How far the time of a signature may be from now. */
    toleranceSeconds: 300,
    /** How long a delivery is kept, and how many are listed. */
    days: 30,
    listed: 50,
    excerptLength: 2_000,
    /** Jobs of a hook that wait for an earlier one, with `overlap: queue`. */
    waiting: 20,
    secretLength: { min: 16, max: 256 },
    headerLength: 100,
    pointerLength: 500,
    valueLength: 500,
    values: 20,
    conditions: 20,
    mapped: 50,
  },
  subscriptions: {
    count: 100,
    nameLength: 100,
    urlLength: 2_048,
    /** Hours after an event in which its delivery is tried. */
    retryHours: 24,
    /** The longest pause (seconds) that a receiver can ask for by `Retry-After`. */
    retryAfterSeconds: 3_600,
    /** Events of a digest. */
    digestEvents: 200,
    /** Persons who may answer questions. */
    answersFrom: 50,
    /** Recipients of a mail. */
    recipients: 10,
    /** Deliveries that are listed, of those that are kept. */
    deliveries: 200,
    deliveryDays: 30,
  },
  deployBindings: {
    perProject: 20,
    nameLength: 100,
    urlLength: 2_048,
    commandLength: 4_096,
    /** Timeout of one command of a binding. */
    timeoutSeconds: { min: 1, max: 3_600, default: 900 },
    /** Stored length of the output of a binding's commands, from its end. */
    logBytes: 16 * 1024,
    /** Timeout of a signed call, from the DNS lookup to the end of the response. */
    callSeconds: 15,
    /** Length of the response to a signed call that is read. */
    answerBytes: 64 * 1024,
    /** How long the previous secret stays valid after it is replaced. */
    formerSecretSeconds: 24 * 3600,
    /** Secrets of a binding, the current one included. A further replacement removes the oldest before its time. */
    secrets: 5,
  },
  /**
   * Parameters of a project. They are stored in the project's item, which every claim of its jobs reads: `totalBytes` are
   * those of all names, values and descriptions.
   */
  parameters: { perProject: 50, nameLength: 64, valueLength: 4_096, descriptionLength: 200, totalBytes: 32 * 1024 },
  /** Diagrams of one project, bytes of the text of one, and the length of its name, which is that of a file too. */
  diagrams: { perProject: 50, textBytes: 64 * 1024, nameLength: 64 },
  /** Number of warnings of a job, and the length of each. */
  warnings: { count: 10, length: 160 },
  /** Attempts that a job lists. Earlier ones are read from their own records. */
  attemptsPerJob: 10,
  list: { min: 1, max: 500, default: 50 },
  /**
   * The items of a page of jobs, as a string in JSON: Lambda's response contains the body escaped, and has 6 MB at most. A
   * longer page ends early.
   */
  listBytes: 5_000_000,
  /** Jobs that one request for a filtered list reads before it returns a cursor. */
  jobsReadPerList: 50_000,
  /** Jobs whose texts and labels one search reads in order, in a month that has more than it may read at once. */
  jobsSearchedPerList: 20_000,
  /** Bytes of texts and labels that one search reads: some seconds of a function. */
  bytesSearchedPerList: 64 * 1024 * 1024,
  /** Index entries that one request for a list without filters reads at most, for its offset: some seconds of a function. */
  entriesReadPerList: 200_000,
  /** Retention of the audit log. */
  auditDays: 90,
  auditList: { min: 1, max: 500, default: 50 },
  /**
   * Exports: how many run at a time and are kept, for how many days, rows and bytes of one file, lifetime of a link.
   * `attempts`: how often one is begun again without having written anything more, until it has failed.
   */
  exports: {
    ...{ running: 2, kept: 50, days: 7, rows: 1_000_000, bytes: 2 * 1024 ** 3, linkSeconds: 15 * 60 },
    attempts: 5,
  },
  /** Bytes of an id in a path: as long as a sort key of DynamoDB may be. */
  keyBytes: 1_024,
  searchLength: 200,
  tokenNameLength: 100,
  /** Pages of projects, rules and profiles. */
  catalogPage: { min: 1, max: 500, default: 100 },
  catalog: {
    /** Items that one import can write: one for a rule or profile, two for a template. A transaction holds 100, one of them is the marker of the import. */
    changes: 99,
    /** Total size of these changes as JSON. A transaction is limited to 4 MB. */
    changedBytes: 3_500_000,
    /** Imported rules of a deployment. */
    rules: 1_000,
    /** Jobs of a profile that run at a time. Acquiring a slot reads every slot. */
    concurrency: { min: 1, max: 100 },
    profiles: 200,
    templates: 500,
    nameLength: 64,
    ruleNameLength: 200,
    /** UTF-16 units: at most 150 KB of an item's 400 KB. */
    ruleTextLength: 50_000,
    args: 100,
    /** Further profiles of the jobs that jobs of a profile start. */
    children: 20,
    argLength: 4_096,
    env: 100,
    envValueLength: 4_096,
    /** A whole profile as JSON, in UTF-16 units. */
    profileLength: 50_000,
  },
  /** Lengths are in UTF-16 units. */
  templates: {
    promptLength: 50_000,
    descriptionLength: 1_000,
    /** A whole template as JSON: at most 300 KB of an item's 400 KB. */
    length: 100_000,
    parameters: 50,
    parameterDescriptionLength: 500,
    choices: 100,
    choiceLength: 200,
    patternLength: 200,
    /** Steps of a compiled pattern. A match takes at most this many steps for each character. */
    patternSteps: 500,
    /** A value of type `string`, and of type `text`. */
    stringLength: 1_000,
    textLength: 20_000,
    /** All values of a job as JSON, in bytes: an environment variable holds less than 128 KiB. */
    valuesBytes: 100_000,
    /** The prompt with its values. */
    composedLength: 1_000_000,
  },
  /** Faults that one error response lists. */
  faults: 50,
} as const;
