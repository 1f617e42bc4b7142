/** The commands that install, build and deploy projects of a framework. */
interface FrameworkPreset {
  readonly install: string;
  readonly build: string;
  readonly deploy: string;
}

/** Runs the command of the tool that wrote the project's lock file. */
function byLockFile(commands: readonly (readonly [file: string, command: string])[], otherwise: string): string {
  const [first, ...others] = commands.map(([file, command]) => `if [ -f ${file} ]; then ${command}; `);
  return `${first}${others.map((part) => `el${part}`).join('')}else ${otherwise}; fi`;
}

const YARN_INSTALL = 'yarn install "$([ -f .yarnrc.yml ] && echo --immutable || echo --frozen-lockfile)"';

const JAVASCRIPT_INSTALL = byLockFile(
  [
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', YARN_INSTALL],
    ['bun.lock', 'bun install --frozen-lockfile'],
    ['bun.lockb', 'bun install --frozen-lockfile'],
    ['package-lock.json', 'npm ci'],
    ['npm-shrinkwrap.json', 'npm ci'],
  ],
  'npm install',
);

/** Built by the framework's own command, deployed by the project's script `deploy`, which alone knows the target. */
function javascript(build: string): FrameworkPreset {
  const run = (programs: string, scripts: string) =>
    byLockFile(
      [
        ['pnpm-lock.yaml', `pnpm ${programs === build ? 'exec' : 'run'} ${programs}`],
        ['yarn.lock', `yarn run ${programs}`],
        ['bun.lock', `bun run ${programs}`],
        ['bun.lockb', `bun run ${programs}`],
      ],
      scripts,
    );
  return {
    install: JAVASCRIPT_INSTALL,
    build: run(build, `npx --no-install ${build}`),
    deploy: run('deploy', 'npm run deploy'),
  };
}

function django(command: string): string {
  return byLockFile(
    [
      ['uv.lock', `uv run --frozen python manage.py ${command}`],
      ['poetry.lock', `poetry run python manage.py ${command}`],
      ['Pipfile.lock', `pipenv run python manage.py ${command}`],
    ],
    `.venv/bin/python manage.py ${command}`,
  );
}

const PRESETS: Readonly<Record<string, FrameworkPreset>> = {
  nextjs: javascript('next build'),
  vite: javascript('vite build'),
  astro: javascript('astro build'),
  nuxt: javascript('nuxt build'),
  sveltekit: javascript('vite build'),
  'react-router': javascript('react-router build'),
  angular: javascript('ng build'),
  django: {
    install: byLockFile(
      [
        ['uv.lock', 'uv sync --frozen'],
        ['poetry.lock', 'poetry install --no-interaction'],
        ['Pipfile.lock', 'pipenv sync'],
      ],
      'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
    ),
    build: django('collectstatic --noinput'),
    deploy: django('migrate --noinput'),
  },
  rails: {
    install: 'bundle install',
    build: 'bundle exec rails assets:precompile',
    deploy: 'bundle exec kamal deploy',
  },
};

/** The preset of a framework; undefined: its commands must be given. */
export function presetOf(framework: string | undefined): FrameworkPreset | undefined {
  return framework !== undefined && Object.hasOwn(PRESETS, framework) ? PRESETS[framework] : undefined;
}
