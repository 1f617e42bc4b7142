import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { launchOwnBrowser, openAs } from '../test/console/setup/browser.ts';
import { CODEX, createScriptedCodex } from '../test/console/setup/scripted-codex.ts';
import { startService, waitFor } from '../test/local-run/local-service.ts';

/**
 * Prints how soon a job of 5,000 events can be read and how smoothly its timeline scrolls, in Chromium on the local run:
 * milliseconds from opening to the first events and to all of them, and frames a second over five seconds of scrolling.
 */
const EVENTS = 5_000;
const RUNS = 5;
const SCROLL_MS = 5_000;

/** Scrolls a little with every frame. Resolves to the frames a second and the longest frame, ms. */
const SCROLL = `new Promise((resolve) => {
  const begun = performance.now();
  let frames = 0;
  let last = begun;
  let longest = 0;
  const step = (now) => {
    frames += 1;
    longest = Math.max(longest, now - last);
    last = now;
    window.scrollBy(0, 60);
    if (now - begun < ${SCROLL_MS}) requestAnimationFrame(step);
    else resolve({ perSecond: (frames * 1000) / (now - begun), longest });
  };
  requestAnimationFrame(step);
})`;

/** Resolves to the milliseconds since the page was asked for once the list has rows, and once it has all of them. */
const READABLE = `new Promise((resolve) => {
  let first;
  const check = () => {
    const row = document.querySelector('[data-event]:nth-child(3)');
    if (row !== null) first ??= performance.now();
    if (Number(row?.getAttribute('aria-setsize')) > ${EVENTS}) resolve({ first, all: performance.now() });
    else setTimeout(check, 5);
  };
  check();
})`;

const codex = await createScriptedCodex();
// Software GL draws even an empty page too slowly on a busy machine; the compositor without GL doesn't.
const browser = await launchOwnBrowser(['--disable-gpu']);
const service = await startService({ env: { PROMPTQ_CODEX_BIN: codex.path } });
try {
  const id = await runJob();
  const page = await openAs(browser, service.consoleUrl, 'viewer', {
    context: { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
  });
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(page, id));
  const best = runs.toSorted((one, other) => other.perSecond - one.perSecond)[0];
  const median = (of: (run: Run) => number) => runs.map(of).sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
  console.log(`${EVENTS} events, Chromium ${browser.version()}, software rendering, 1440x900, median of ${RUNS} runs`);
  console.log(`load average ${loadavg()[0]?.toFixed(1)}; a frame of an empty page takes ${await emptyFrame(page)} ms`);
  console.log(
    `first events ${median(({ first }) => first).toFixed(0)} ms, all ${median(({ all }) => all).toFixed(0)} ms`,
  );
  console.log(`of it the page's main thread works ${median(({ openCpu }) => openCpu).toFixed(0)} ms`);
  console.log(
    `scrolling ${median(({ perSecond }) => perSecond).toFixed(1)} frames/s, longest frame ${median(({ longest }) => longest).toFixed(0)} ms; the main thread works ${median(({ frameCpu }) => frameCpu).toFixed(1)} ms a frame`,
  );
  console.log(
    `best run: first events ${Math.min(...runs.map(({ first }) => first)).toFixed(0)} ms, ${best?.perSecond.toFixed(1)} frames/s`,
  );
} finally {
  await browser.close();
  await service.stop();
  await codex.close();
}

interface Run {
  readonly first: number;
  readonly all: number;
  readonly perSecond: number;
  readonly longest: number;
  /** Processor time of the page's main thread, ms: unlike the others it hardly depends on what else the machine does. */
  readonly openCpu: number;
  readonly frameCpu: number;
}

/** Messages with code, commands and file changes, as an agent mixes them. Returns the job's id. */
async function runJob(): Promise<string> {
  const events = Array.from({ length: EVENTS }, (_, at) => {
    if (at % 10 === 0)
      return CODEX.message(`## Step ${at}\n\nI **change** \`cart.ts\`:\n\n\`\`\`ts\nconst x = ${at};\n\`\`\``);
    if (at % 10 === 5) return CODEX.files(`src/file-${at}.ts`, `src/other-${at}.ts`);
    return CODEX.command(`npm test -- suite-${at}`, `suite ${at}\n12 passed\n`, at % 50 === 1 ? 1 : 0);
  });
  const prompt = await codex.prints(...events, CODEX.usage);
  const { id } = (await service.api('POST', '/jobs', { prompt })).json;
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status?wait=20`)).json.terminal);
  return id;
}

async function measure(page: Page, id: string): Promise<Run> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  await page.goto(`/jobs/${id}`, { waitUntil: 'commit' });
  const opened = await page.evaluate<Pick<Run, 'first' | 'all'>>(READABLE);
  const openCpu = await cpu();
  await page.waitForLoadState('networkidle');
  const before = await cpu();
  const scrolled = await page.evaluate<Pick<Run, 'perSecond' | 'longest'>>(SCROLL);
  const frames = (scrolled.perSecond * SCROLL_MS) / 1000;
  const frameCpu = ((await cpu()) - before) / frames;
  await session.detach();
  return { ...opened, ...scrolled, openCpu, frameCpu };
}

async function emptyFrame(page: Page): Promise<string> {
  await page.goto('about:blank');
  const { perSecond } = await page.evaluate<Pick<Run, 'perSecond'>>(SCROLL);
  return (1000 / perSecond).toFixed(1);
}
