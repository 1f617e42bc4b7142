import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test("openapi.json keeps Redocly's recommended rules, but for the exceptions that .redocly.lint-ignore.yaml explains", async () => {
  const lint = ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--format', 'json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, lint, { cwd: ROOT, env }).catch(
    // It fails on errors, and then prints the same report.
    (failure: { stdout: string }) => failure,
  );
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0, ignored: 3 } });
});
