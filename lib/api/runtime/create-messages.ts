import { createJobStore } from '../../composition/job-stores.ts';
import type { AcceptContext } from '../../jobs/messages/accept-message.ts';
import { JobMessageStore } from '../../jobs/store/job-messages.ts';
import type { Core } from './core.ts';

/** The services of the messages to jobs. */
export function createMessages(core: Core): AcceptContext {
  return {
    jobs: createJobStore(core),
    messages: new JobMessageStore(core.registry),
    clock: core.clock,
    random: Math.random,
  };
}
