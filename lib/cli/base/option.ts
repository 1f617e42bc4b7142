import type { components, paths } from '../../client/api-types.ts';

export interface OptionSpec {
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** Whether it can be given several times. */
  readonly isList?: boolean;
  /** Whether its value is a number. */
  readonly isNumber?: boolean;
  /** The least number that it takes. */
  readonly least?: number;
  /** Names of options that can't be given with it, as commander spells them. */
  readonly conflicts?: readonly string[];
  /** The field of a new job that it sets. */
  readonly field?: keyof components['schemas']['JobCreation'];
  /** The parameter of the list of jobs that it sets. */
  readonly parameter?: keyof NonNullable<paths['/api/v1/jobs']['get']['parameters']['query']>;
}

/** The long form of an option, such as `--file`. */
export function flagOf({ flags }: Pick<OptionSpec, 'flags'>): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}
