import type { ApiRequest } from '../jobs/form/curl-line.ts';

/** Something that a page does, and what does the same from a terminal. Names in capitals are to be replaced. */
export type PageCommand = { readonly label: string } & (
  | {
      /** After `promptq`. */
      readonly args: readonly string[];
      /** The same as one request; undefined if it takes several. */
      readonly request?: ApiRequest;
    }
  | {
      /** Why no command does it. */
      readonly none: string;
    }
);

export type CommandsOf = (
  query: URLSearchParams,
  parameters: Readonly<Record<string, string | undefined>>,
) => PageCommand[];

/** By a separate command. */
export const command = (
  label: string,
  args: readonly string[],
  method: string,
  path: string,
  body?: unknown,
): PageCommand => ({
  label,
  args,
  request: body === undefined ? { method, path } : { method, path, body },
});

/** By `promptq api`. */
export const api = (label: string, method: string, path: string, body?: unknown): PageCommand => {
  const data = body === undefined ? [] : ['--data', JSON.stringify(body)];
  return command(label, ['api', method, path, ...data], method, path, body);
};
