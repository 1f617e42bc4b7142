/* Says what a run of the tests came to: the failures first, each with where and why, then "N passed, N failed".
   Usage: node test/vitest/report.ts RESULTS.json OUTPUT STATUS [CHECK…], of vitest's JSON report, what it printed, how it ended,
   and the checks beside the tests that failed, each of which counts as a failure. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

const [resultsPath = '', outputPath = '', status = '1', ...failedChecks] = process.argv.slice(2);
const NONE: Report = { numPassedTests: 0, numFailedTests: 0, testResults: [] };

function read(): Report {
  try {
    return JSON.parse(readFileSync(resultsPath, 'utf8')) as Report;
  } catch {
    return NONE;
  }
}

/** Test files that could not be loaded, and tests: a line each, then what each said. */
function* failures({ testResults }: Report): Generator<{ where: string; why: string }> {
  for (const { name, status: ending, message, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (ending === 'failed' && failed.length === 0) yield { where: file, why: message };
    for (const { fullName, failureMessages = [] } of failed)
      yield { where: `${file} > ${fullName}`, why: failureMessages.join('\n') };
  }
}

const report = read();
const all = [...failures(report)];
for (const check of failedChecks) console.log(`FAILED: ${check}: what it printed is above`);
for (const { where, why } of all) console.log(`FAILED: ${where}: ${why.split('\n', 1)[0]}`);
for (const { where, why } of all) console.log(`\n${where}\n${why.split('\n').slice(0, 30).join('\n')}`);
// Faults that belong to no test, such as an unhandled rejection, are only in the output.
if (status !== '0')
  console.log(`\nFAILED: tests (ended with ${status})\n${readFileSync(outputPath, 'utf8').slice(-6000)}`);
for (const { assertionResults } of report.testResults)
  for (const { fullName, status: ending } of assertionResults)
    if (ending === 'pending' || ending === 'skipped') console.log(`not run: ${fullName}`);

console.log(`${report.numPassedTests} passed, ${report.numFailedTests + failedChecks.length} failed`);
if (status !== '0' || report.numPassedTests === 0 || all.length > 0 || failedChecks.length > 0) process.exitCode = 1;
