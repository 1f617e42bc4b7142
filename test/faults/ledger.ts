/** What the responses to the clients of a run under faults promise about one job. */
export interface JobRecord {
  /** The job's name in its own command. */
  readonly name: string;
  readonly id: string;
  /** All that its stdout holds once an attempt ran to its end. */
  readonly stdout: string;
  readonly exitCode: number;
  /** Whether it can still be a draft: no answer has said that it is none. */
  draft: boolean;
  /** What its priority can be: one value, more where an edit went without an answer. */
  priorities: number[];
  /** Retries that clients asked for, answered or not. */
  retries: number;
  /** The newest attempt when a cancel or kill was answered with 200; undefined once a retry was asked for. */
  endedAfter: number | undefined;
}

/** The responses and events of a run under faults. */
export class Ledger {
  /** Jobs whose creation was answered with 201, by id. */
  readonly jobs = new Map<string, JobRecord>();
  /** Creations that went without an answer and were not repeated: their jobs may exist or not. */
  unanswered = 0;
  /** Responses that report an internal error. */
  readonly faults: string[] = [];
  /** Calls that were answered, and that were cut off. */
  calls = 0;
  cut = 0;
}
