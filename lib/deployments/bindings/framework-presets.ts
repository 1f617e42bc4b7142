/** The commands that install, build and deploy projects of a framework. */
export interface FrameworkPreset {
  readonly install: string;
  readonly build: string;
  readonly deploy: string;
}

const NPM_INSTALL = 'if [ -f package-lock.json ]; then npm ci; else npm install; fi';

/** Built by the framework's own command, deployed by the project's script `deploy`, which alone knows the target. */
function npmProject(build: string): FrameworkPreset {
  return { install: NPM_INSTALL, build: `npx --no-install ${build}`, deploy: 'npm run deploy' };
}

const PRESETS: Readonly<Record<string, FrameworkPreset>> = {
  nextjs: npmProject('next build'),
  vite: npmProject('vite build'),
  astro: npmProject('astro build'),
  nuxt: npmProject('nuxt build'),
  sveltekit: npmProject('vite build'),
  'react-router': npmProject('react-router build'),
  angular: npmProject('ng build'),
  django: {
    install: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
    build: '.venv/bin/python manage.py collectstatic --noinput',
    deploy: '.venv/bin/python manage.py migrate --noinput',
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
