import { type ComponentType, lazy, type ReactNode } from 'react';

/** The code of a part of the console could not be fetched: the service is away, or an upgrade has replaced the files. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

/**
 * A component whose code is fetched when it is first shown.
 * @param load imports the module; `name` is what it exports the component as
 */
export function lazyPart<Props extends object, Name extends string>(
  load: () => Promise<Record<Name, (props: Props) => ReactNode>>,
  name: Name,
): ComponentType<Props> {
  return lazy<ComponentType<Props>>(async () => {
    const module = await load().catch((cause: unknown) => {
      throw new PartNotLoadedError('its code could not be fetched', { cause });
    });
    return { default: module[name] };
  });
}
