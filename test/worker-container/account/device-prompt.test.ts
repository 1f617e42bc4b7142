import { describe, expect, it } from 'vitest';
import { readDevicePrompt, readLoginFailure } from '../../../worker-container/account/login-cli.ts';

/** What codex 0.169.0 printed in a real run. */
const PRINTED = `
Welcome to Codex [v\u001b[90m0.169.0\u001b[0m]
\u001b[90mOpenAI's command-line coding agent\u001b[0m

Follow these steps to sign in with ChatGPT using device code authorization:

1. Open this link in your browser and sign in to your account
   \u001b[94mhttps://auth.openai.com/codex/device\u001b[0m

2. Enter this one-time code \u001b[90m(expires in 15 minutes)\u001b[0m
   \u001b[94mWXYZ-98765\u001b[0m

\u001b[90mContinue only if you started this login in Codex.\u001b[0m
`;

describe('what the CLI prints', () => {
  it('has the page, the code and its life, without colours', () => {
    expect(readDevicePrompt(PRINTED)).toEqual({
      verificationUri: 'https://auth.openai.com/codex/device',
      userCode: 'WXYZ-98765',
      expiresIn: 900_000,
    });
  });

  it('is not taken for a code before it is complete, wherever it is cut', () => {
    const whole = PRINTED.indexOf('98765') + '98765'.length;
    for (let length = 0; length < whole; length += 1)
      expect(readDevicePrompt(PRINTED.slice(0, length))).toBeUndefined();
  });
});

it('a code that says nothing about its life has fifteen minutes', () => {
  const printed = (words: string) => `https://vendor.example/device\n${words}\nWXYZ-98765\n`;
  expect(readDevicePrompt(printed(''))?.expiresIn).toBe(900_000);
  expect(readDevicePrompt(printed('expires in 1 minute'))?.expiresIn).toBe(60_000);
});

describe('why a login has failed', () => {
  it.for([
    ['Error logging in: device auth failed with status 400 Bad Request', 'failed', /denied/],
    ['Error logging in: device auth failed with status 410 Gone', 'expired', /in time/],
    ['Error logging in: device auth timed out after 15 minutes', 'expired', /in time/],
    ['Error logging in: device code login is not enabled for this Codex server. Use …', 'failed', /security settings/],
    ['Error logging in: device code request failed with status 500 Internal Server Error', 'failed', /status 500/],
    ['', 'failed', /said nothing/],
  ] as const)('%s', ([said, state, error]) => {
    expect(
      readLoginFailure(said === '' ? '' : `WARNING: chatter\n\u001b[31m${said}\u001b[0m\n`, undefined),
    ).toMatchObject({
      state,
      error: expect.stringMatching(error),
    });
  });

  it('never contains the code', () => {
    expect(readLoginFailure('Error logging in: code WXYZ-98765 is odd', 'WXYZ-98765').error).not.toContain('98765');
  });
});
