import { createContext } from 'react';

/** The job that wrote what is shown, and its project. */
interface MessageSource {
  readonly jobId: string;
  readonly projectId: string;
}

/** Around an answer of a job whose diagrams can be kept. */
export const MessageSourceContext = createContext<MessageSource | undefined>(undefined);
