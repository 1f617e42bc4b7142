import { Command, InvalidArgumentError, Option } from 'commander';
import cdkJson from '../cdk.json' with { type: 'json' };
import { EXIT_CODES, type Finding, fault, inWords, worst } from '../lib/doctor/finding.ts';
import { jsonReport, textReport } from '../lib/doctor/report.ts';
import { defaultHome } from '../lib/local/run/default-home.ts';
import { SETTINGS_KEY } from '../lib/platform/config/deployment.ts';
import packageJson from '../package.json' with { type: 'json' };

interface Options {
  readonly home: string;
  readonly url?: string;
  readonly deployment?: string;
  readonly beforeDeploy?: true;
  readonly settings?: string;
  readonly job: true | string | undefined;
  readonly jobSeconds: number;
  readonly json?: true;
}

/**
 * `npm run doctor`: checks everything once, and reports what is wrong and what to do. Changes nothing, except for the
 * job of `--job`. Loads what it examines when it is asked for: most of the time of a run would be that of loading all
 * of it.
 */
const program = new Command('doctor')
  .description('Checks the local run or a deployment, and reports what is wrong and what to do.')
  .addOption(
    new Option('--home <folder>', 'home of the local run')
      .env('PROMPTQ_HOME')
      .default(defaultHome(), 'that of this folder'),
  )
  .option('--url <url>', 'URL of a service; needs a token in PROMPTQ_TOKEN')
  .option('--deployment <name>', 'name of a deployment in AWS; needs AWS credentials, and a token in PROMPTQ_TOKEN')
  .option(
    '--before-deploy',
    'check the requirements of a first deployment: Docker, AWS account and region, quotas; needs the AWS CLI',
  )
  .option(
    '--settings <json>',
    'with --before-deploy or --deployment: settings as for `cdk -c promptq=`; default: those of cdk.json',
  )
  .option('--job [profile]', 'also run a small job; default profile: shell in the local run, otherwise codex')
  .option('--job-seconds <number>', 'time limit of that job in seconds', seconds, 180)
  .option('--json', 'print one line of JSON and nothing else')
  .addHelpText('after', '\nExit codes: 0 no findings; 1 warnings; 2 a fault, or a check that could not run.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_CODES.fault))
  .parse();

const options = program.opts<Options>();
const findings = await runChecks(options).catch((error: unknown): Finding[] => [
  fault('doctor', inWords(error), 'This is a fault of the doctor, or of its arguments.'),
]);
console.log(options.json ? jsonReport(findings) : textReport(findings));
process.exit(EXIT_CODES[worst(findings)]);

async function runChecks(given: Options): Promise<Finding[]> {
  const { home, url, deployment, job, jobSeconds } = given;
  const file = cdkJson.context[SETTINGS_KEY];
  const settings = given.settings ?? file;
  if (given.beforeDeploy) {
    const { examineBeforeDeploy } = await import('../lib/doctor/before-deploy/examine-before-deploy.ts');
    return await examineBeforeDeploy({
      settings,
      file,
      docker: process.env.CDK_DOCKER || 'docker',
      region: process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || undefined,
    });
  }
  const token = process.env.PROMPTQ_TOKEN || undefined;
  const { version } = packageJson;
  const trial = (profile: string) =>
    job === undefined ? undefined : { profile: job === true ? profile : job, timeoutMs: jobSeconds * 1000 };
  if (deployment !== undefined) {
    const target = { deploymentName: deployment, settings, file, url, token, version, job: trial('codex') };
    const { examineDeployment } = await import('../lib/doctor/deployment/examine-deployment.ts');
    return await examineDeployment(target);
  }
  if (url === undefined) {
    const { examineHome } = await import('../lib/doctor/home/examine-home.ts');
    return await examineHome(home, { version, config: process.env.PROMPTQ_CONFIG, job: trial('shell') });
  }
  if (token === undefined) return [fault('token', 'there is none', 'Give one in PROMPTQ_TOKEN.')];
  const [{ examineService }, { openService }] = await Promise.all([
    import('../lib/doctor/service/examine-service.ts'),
    import('../lib/doctor/service/service.ts'),
  ]);
  return await examineService(openService({ baseUrl: url, token, isLocal: false }), { version, job: trial('codex') });
}

function seconds(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new InvalidArgumentError('expected a number of seconds');
  return Number(value);
}
