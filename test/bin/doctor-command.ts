import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { EXIT_CODES, type Finding, worst } from '../../lib/doctor/finding.ts';
import { jsonReport } from '../../lib/doctor/report.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/doctor.ts', import.meta.url));

const report = z.object({
  state: z.enum(['ok', 'warning', 'fault']),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      state: z.enum(['ok', 'warning', 'fault']),
      message: z.string().min(1),
      advice: z.string().min(1).optional(),
    }),
  ),
});
export type Report = z.output<typeof report> & { readonly code: number };

/** Runs the doctor's command to its end. */
export async function runDoctor(
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The same as data; checks that whatever is not well says what to do. */
export async function diagnose(args: readonly string[], env: Record<string, string | undefined>): Promise<Report> {
  const { code, stdout, stderr } = await runDoctor([...args, '--json'], env);
  if (stderr !== '') throw new Error(`the doctor wrote to stderr: ${stderr}`);
  return checked(stdout, code);
}

/** The report of checks that run in this process: the start of a command costs more than most of them. */
export async function diagnoseHere(
  env: Record<string, string | undefined>,
  checks: () => Promise<Finding[]>,
): Promise<Report> {
  const { env: own } = process;
  const given = Object.entries({ ...own, ...env }).filter(([, value]) => value !== undefined);
  process.env = Object.fromEntries(given);
  try {
    const findings = await checks();
    return checked(jsonReport(findings), EXIT_CODES[worst(findings)]);
  } finally {
    process.env = own;
  }
}

function checked(printed: string, code: number): Report {
  const parsed = report.parse(JSON.parse(printed));
  const silent = parsed.findings.filter(({ state, advice }) => (state === 'ok') !== (advice === undefined));
  if (silent.length > 0) throw new Error(`advice is missing, or idle: ${JSON.stringify(silent)}`);
  return { ...parsed, code };
}

/** What is not well: `state check: message`. */
export function complaints({ findings }: Report): string[] {
  return findings
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, message }) => `${state} ${check}: ${message}`);
}
