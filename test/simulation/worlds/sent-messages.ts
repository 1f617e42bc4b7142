/** The dispatch messages that were sent to the queues of a world. */
export class SentMessages {
  /** The sender of each. */
  readonly #senders = new Set<string>();
  /** The step of the newest one that is for a claim, by band and job. */
  readonly #steps = new Map<string, number>();

  /** A process sends a message. @returns the job that it is about */
  noteSending(sender: string, body: string): string {
    this.#senders.add(`${sender} ${body}`);
    return parsed(body).job;
  }

  /** A queue accepts it. */
  noteAccepted(body: string, step: number): void {
    const { band, job, deploy } = parsed(body);
    if (deploy !== true) this.#steps.set(`${band} ${job}`, step);
  }

  wasSentBy(sender: string, body: string): boolean {
    return this.#senders.has(`${sender} ${body}`);
  }

  /** Whether a band's queue has accepted a message for the claim of a job after a step. */
  hasAfter(step: number, band: string, job: string): boolean {
    return (this.#steps.get(`${band} ${job}`) ?? 0) > step;
  }
}

function parsed(body: string): { band: string; job: string; deploy?: boolean } {
  return JSON.parse(body) as { band: string; job: string; deploy?: boolean };
}
