/** The environment of a command that fails if it loads a package whose name starts like this. */
function without(start: string): Readonly<Record<string, string>> {
  const hook = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('${start}')) throw new Error(specifier + ' is loaded');
        return next(specifier, context);
      },
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
}

/** Most of the time of a short command would be that of loading these. */
export const WITHOUT_SDK = without('@aws-sdk/');
export const WITHOUT_SCHEMAS = without('zod');
