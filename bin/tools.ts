/** A command of a subject, such as `npm run prove -- kill`. */
export interface Tool {
  /** Module that runs it, from the root of the repository. */
  readonly file: string;
  readonly about: string;
  /** Its options, as help texts write them. */
  readonly options?: string;
}

/** The commands that measure or prove, by the npm script that runs them. */
export const TOOLS: Readonly<Record<string, Readonly<Record<string, Tool>>>> = {
  bench: {
    cost: {
      file: 'bench/requests/job-cost.ts',
      about: 'billed requests of a job and of list pages',
      options: '[--large]',
    },
    requests: {
      file: 'bench/requests/count-requests.ts',
      about: 'count the requests behind docs/operate/cost.md and store them',
      options: '[--check]',
    },
    quick: {
      file: 'bench/quick/quick.ts',
      about: 'compare requests, waits for them and bundles with bench/quick/baseline.json',
      options: '[--update requests|rounds|bytes]… [--cpu]',
    },
    due: {
      file: 'bench/due/due-together.ts',
      about: 'automations of a local run that are all due in the same minute: when their jobs begin',
      options: '[--automations N] [--slots N]',
    },
    answers: {
      file: 'bench/answers/answer-time.ts',
      about: "from an answer on the phone, by the stand-in of Telegram, to the agent's next model request",
      options: '[--answers N] [--parked]',
    },
    starts: {
      file: 'bench/starts/function-starts.ts',
      about: "CPU time of the functions' starts, their sizes, and times of warm requests",
      options: '[--rounds N]',
    },
  },
  prove: {
    simulate: {
      file: 'test/simulation/simulate.ts',
      about: 'simulated job lives with faults of every kind, checked at every write and at rest',
      options: '[--lives N] [--seconds N] [--seed N] [--threads N] [--nightly] [--replay]',
    },
    schedules: {
      file: 'test/simulation/schedules/simulate-schedules.ts',
      about: 'due instants of automations, with a pass that is killed, doubled, late and on wrong clocks',
      options: '[--instants N] [--seed N]',
    },
    subscriptions: {
      file: 'test/simulation/subscriptions/simulate-subscriptions.ts',
      about:
        'events to receivers that refuse, hang, lose answers or are down, by functions that die, pause or come twice',
      options: '[--events N] [--seed N]',
    },
    scale: {
      file: 'test/simulation/scale/scale.ts',
      about: "refused writes at 100 to 3,000 jobs a second, by a model of DynamoDB's partitions",
      options: '[--seconds N]',
    },
    nightly: {
      file: 'test/vitest/nightly.ts',
      about: 'all tests with larger amounts (rounds of races, random requests), and those of test/nightly',
      options: '[TEXT…]',
    },
    kill: {
      file: 'test/faults/kill.ts',
      about: 'kill parts of a local run under load and report what was lost',
      options: '[--rounds N] [--seed N]',
    },
    resumes: {
      file: 'test/faults/resumes.ts',
      about: 'kill workers in the middle of turns of the real codex; the next attempts have to continue their sessions',
      options: '[--kills N] [--seed N]',
    },
    questions: {
      file: 'test/simulation/scale/count-requests.ts',
      about: 'what a minute costs a deployment with 10 and with 100,000 open questions, on models of its services',
      options: '[COUNT…]',
    },
    claims: {
      file: 'test/faults/claims.ts',
      about: 'let concurrent claimers compete for jobs, every message delivered three times',
      options: '[--jobs N] [--claimers N] [--seed N]',
    },
    exports: {
      file: 'test/faults/exports.ts',
      about: 'kill a local run twice while it exports jobs, and compare the files with the list, row by row',
      options: '[--jobs N] [--seed N]',
    },
    breaks: {
      file: 'test/breaks/breaks.ts',
      about: 'break the sources in places chosen by seed, and count the breaks that the checks of a commit notice',
      options: '[--breaks N] [--from N] [--seed N] [--files N] [--only PATH] [--list]',
    },
    defects: {
      file: 'test/breaks/defects.ts',
      about: 'put the defects that the simulator found back one at a time, and see that a test notices each',
      options: '[NAME…]',
    },
    walk: {
      file: 'test/walks/walk.ts',
      about: "random walks over a local run's API against the model of a job's life",
      options: '[--runs N] [--seed N]',
    },
    generators: {
      file: 'test/generated-clients/generators.ts',
      about: 'generate clients in other languages (fetches the generators) and let each run a job of a local run',
      options: '[NAME…]',
    },
    accessibility: {
      file: 'test/console/scenes/accessibility.ts',
      about: "check every scene of the console with axe's rules",
      options: '[NAME…]',
    },
  },
};
