import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../local-run/local-service.ts';
import { DOCUMENT } from './client-programs.ts';

const run = promisify(execFile);

/** One generator: shell commands in an own folder, where `$DOCUMENT` is the document. */
interface Generator {
  readonly version: string;
  /** Programs that must be on the machine. */
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly fetch: string;
  readonly generate: string;
  readonly compile: string;
  /** Creates, follows, reads and lists a job; prints `SUCCEEDED` last. */
  readonly program: string;
}

const PYTHON = `
import os
import promptq_openapi as p
configuration = p.Configuration(host=os.environ["PROMPTQ_URL"], access_token=os.environ["PROMPTQ_TOKEN"])
jobs = p.JobsApi(p.ApiClient(configuration))
id = jobs.create_jobs(job_creation=p.JobCreation(prompt="echo hello", profile="shell")).id
while not (state := jobs.status_jobs(id, wait=25)).terminal:
    pass
assert jobs.read_jobs(id).prompt == "echo hello"
assert any(item.id == id for item in jobs.list_jobs().items)
print(getattr(state.status, "value", state.status))
`;

const GO = `package main

import (
	"context"
	"fmt"
	"os"

	p "example.com/c/promptq"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	conf := p.NewConfiguration()
	conf.Servers = p.ServerConfigurations{{URL: os.Getenv("PROMPTQ_URL")}}
	conf.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("PROMPTQ_TOKEN"))
	jobs := p.NewAPIClient(conf).JobsAPI
	ctx := context.Background()
	body := p.NewJobCreation()
	body.SetPrompt("echo hello")
	body.SetProfile("shell")
	id := must(jobs.CreateJobs(ctx).JobCreation(*body).Execute()).Id
	state := must(jobs.StatusJobs(ctx, id).Wait(25).Execute())
	for !state.Terminal {
		state = must(jobs.StatusJobs(ctx, id).Wait(25).Execute())
	}
	if must(jobs.ReadJobs(ctx, id).Execute()).Prompt != "echo hello" {
		panic("prompt")
	}
	listed := false
	for _, item := range must(jobs.ListJobs(ctx).Execute()).Items {
		listed = listed || item.Id == id
	}
	if !listed {
		panic("not listed")
	}
	fmt.Println(state.Status)
}
`;

const OPENAPI_GENERATOR = 'python3 -m pip install --quiet --target tool openapi-generator-cli==7.26.0';
const generateWith = (options: string) =>
  `java -jar tool/openapi_generator_cli/openapi-generator.jar generate -i "$DOCUMENT" ${options}`;

const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-generator-python': {
    version: '7.26.0',
    needs: ['java', 'python3'],
    files: { 'main.py': PYTHON },
    fetch: OPENAPI_GENERATOR,
    generate: generateWith('-g python --package-name promptq_openapi -o client'),
    compile: 'python3 -m pip install --quiet --target packages ./client',
    program: 'PYTHONPATH=packages python3 main.py',
  },
  'openapi-generator-go': {
    version: '7.26.0',
    needs: ['java', 'python3', 'go'],
    files: { 'run/main.go': GO, 'go.mod': 'module example.com/c\n\ngo 1.23\n' },
    fetch: OPENAPI_GENERATOR,
    generate: `${generateWith(
      '-g go -o promptq --additional-properties=disallowAdditionalPropertiesIfNotPresent=false,withGoMod=false,packageName=promptq',
    )} && rm -rf promptq/test && go mod tidy`,
    compile: 'go build -o main ./run',
    program: './main',
  },
};

/** `npm run prove -- generators [NAME…]`: generates clients and lets each run a job of a local run. */
const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in GENERATORS));
if (unknown.length > 0) {
  console.error(`no generator ${unknown.join(', ')}; known: ${Object.keys(GENERATORS).join(', ')}`);
  process.exit(2);
}
const service = await startService();
const folder = await mkdtemp(join(tmpdir(), 'promptq-generators-'));
try {
  for (const [name, generator] of Object.entries(GENERATORS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const seen = await tryGenerator(join(folder, name), generator);
    if (seen.startsWith('fails')) process.exitCode = 1;
    console.log(`| ${name} | ${generator.version} | ${seen} |`);
  }
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

async function tryGenerator(cwd: string, generator: Generator): Promise<string> {
  for (const [file, text] of Object.entries(generator.files)) {
    await mkdir(join(cwd, file, '..'), { recursive: true });
    await writeFile(join(cwd, file), text);
  }
  const env = {
    ...process.env,
    DOCUMENT,
    PROMPTQ_URL: service.baseUrl,
    PROMPTQ_TOKEN: service.token,
    PATH: [join(cwd, 'tool/bin'), process.env.PATH].join(delimiter),
  };
  const shell = (command: string) => run('sh', ['-c', command], { cwd, env, maxBuffer: 100_000_000 });
  for (const program of generator.needs) {
    const isThere = await shell(`command -v ${program}`).then(
      () => true,
      () => false,
    );
    if (!isThere) return `skipped: no ${program}`;
  }
  for (const step of ['fetch', 'generate', 'compile', 'program'] as const) {
    try {
      const { stdout } = await shell(generator[step]);
      if (step === 'program' && !stdout.trim().endsWith('SUCCEEDED')) return `fails at program: ${stdout.slice(-500)}`;
    } catch (error) {
      const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
      return `fails at ${step}: ${(stderr || stdout).trim().slice(-800)}`;
    }
  }
  return 'generates, compiles, creates, follows, reads and lists a job';
}
