const hook = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('@aws-sdk/')) throw new Error(specifier + ' is loaded');
      return next(specifier, context);
    },
  });`;

/** The environment of a command that fails if it loads the AWS SDK. */
export const WITHOUT_SDK = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
