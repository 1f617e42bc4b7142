import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A drill's tool that waits until it is let go. Its files are in `home`. */
export function gateIn(
  home: string,
  name: string,
): {
  readonly drill: string;
  readonly isUp: () => boolean;
  readonly open: () => Promise<void>;
} {
  const [up, go] = [join(home, `${name}-up`), join(home, `${name}-go`)];
  return {
    drill: `drill: tool touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`,
    isUp: () => existsSync(up),
    open: async () => await writeFile(go, ''),
  };
}
