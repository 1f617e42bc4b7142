import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import type { HookStyle } from '../../contract/automation-choices.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type AutomationJobOptions, automationJob } from '../templates/automation-job.ts';

interface Options extends AutomationJobOptions {
  readonly style?: HookStyle;
  readonly header?: string;
  readonly prefix?: string;
  readonly encoding?: 'hex' | 'base64';
  readonly deliveryId?: string;
  readonly filter?: readonly string[];
  readonly map?: readonly string[];
  readonly drafts?: true;
}

type Hook = NonNullable<Schemas['AutomationCreation']['trigger']['hook']>;

/** Creates an automation that is started by a hook, and shows its address and its secret. */
export const run: CommandRun<Options> = async (context, [name = '', ...texts], options) => {
  const { terminal } = context;
  const hook = hookOf(options);
  const described = await automationJob(context, async () => await clientOf(context), texts, options);
  const { api, baseUrl } = await clientOf(context);
  const body: Schemas['AutomationCreation'] = { name, trigger: { hook }, ...described };
  const made = await dataOf(api.POST('/api/v1/automations', { body }));
  if (options.json) await terminal.printJson(made);
  else {
    const { path = '', secret } = made.trigger.hook ?? {};
    await terminal.note(`created ${made.id}; its secret is not shown again`);
    await terminal.print(`address ${new URL(path, baseUrl).href}\nsecret  ${secret ?? ''}`);
  }
  return EXIT.succeeded;
};

/** @throws CommandError for values that have no `=` */
function hookOf(options: Options): Hook {
  const { style = 'standard_webhooks', header, prefix, encoding, deliveryId: place, drafts = false } = options;
  const filter = Map.groupBy(pairs('--filter', options.filter), ([pointer]) => pointer);
  const map = pairs('--map', options.map);
  return {
    verify: {
      style,
      ...(header !== undefined && { header }),
      ...(prefix !== undefined && { prefix }),
      ...(encoding !== undefined && { encoding }),
    },
    ...(filter.size > 0 && {
      filter: [...filter].map(([pointer, values]) => ({ pointer, one_of: values.map(([, value]) => value) })),
    }),
    ...(map.length > 0 && { map: Object.fromEntries(map) }),
    ...(place !== undefined && { delivery_id: place.startsWith('/') ? { pointer: place } : { header: place } }),
    drafts,
  };
}

function pairs(flag: string, given: readonly string[] = []): (readonly [string, string])[] {
  return given.map((one) => {
    const at = one.indexOf('=');
    if (at < 1) throw usageError(`${flag}: received ${JSON.stringify(one)}; expected an = in it`);
    return [one.slice(0, at), one.slice(at + 1)];
  });
}
