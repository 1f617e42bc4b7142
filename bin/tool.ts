import { TOOLS, type Tool } from './tools.ts';

/** `npm run SUBJECT -- NAME [OPTIONS]`: runs one of the tools of a subject; without a name, runs all of
 * them together, if there is such a tool, else lists them. */
const [script = '', subject = '', given, ...options] = process.argv.slice(1);
// `-- --quick` means the tool `quick`.
const tools = TOOLS[subject] ?? {};
const name = given === '--help' ? given : (given?.replace(/^--/, '') ?? ('all' in tools ? 'all' : undefined));
const tool = name === undefined ? undefined : tools[name];
const isHelp = name === undefined || name === '--help' || options.includes('--help');
if (tool === undefined || isHelp) {
  const isKnown = tool !== undefined || isHelp;
  const text = tool === undefined || name === undefined ? overview() : help(name, tool);
  if (isKnown) console.log(text);
  else console.error(`npm run ${subject} has no tool ${name}\n\n${text}`);
  process.exitCode = isKnown ? 0 : 2;
} else {
  // Tools read their options from process.argv, as if they had been started directly.
  process.argv = [process.execPath, script, ...options];
  await import(new URL(`../${tool.file}`, import.meta.url).href);
}

function help(known: string, { options: usage = '', about }: Tool): string {
  return [`Usage: npm run ${subject} -- ${known} ${usage}`.trimEnd(), '', about].join('\n');
}

function overview(): string {
  const rows = Object.entries(tools).map(([known, { about }]) => `  ${known.padEnd(14)}${about}`);
  return [`Usage: npm run ${subject} -- NAME [OPTIONS]`, '', ...rows].join('\n');
}
