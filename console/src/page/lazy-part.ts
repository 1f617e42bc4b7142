import { type ComponentType, lazy, type ReactNode } from 'react';

/** The code of a part could not be loaded: the service is unreachable, or an upgrade replaced the files. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError';
}

/**
 * A component whose code loads when it is first rendered.
 * @param load imports the module
 * @param name the module's export with the component
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
