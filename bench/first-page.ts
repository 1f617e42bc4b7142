import { launchOwnBrowser, openAs } from '../test/console/setup/browser.ts';
import { startService } from '../test/local-run/local-service.ts';

/** Prints how soon the first page shows something, on the local run: a cold cache, then a warm one. Milliseconds. */
const RUNS = 5;

/** What is measured in the page, as the browser tells it. */
const MEASURE = `new Promise((resolve) => {
  let largest = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) largest = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => {
    const [first] = performance.getEntriesByName('first-contentful-paint');
    const [page] = performance.getEntriesByType('navigation');
    resolve({ first: first?.startTime ?? 0, largest, loaded: page.loadEventEnd });
  }, 500);
})`;

const browser = await launchOwnBrowser();
const service = await startService();
try {
  for (const cache of ['cold', 'warm'] as const) {
    const runs: { first: number; largest: number; loaded: number }[] = [];
    const kept = await openAs(browser, service.consoleUrl, 'viewer');
    for (let run = 0; run < RUNS; run += 1) {
      const page =
        cache === 'warm' ? kept : await openAs(browser, service.consoleUrl, 'viewer', { path: '/signed-in' });
      if (cache === 'cold') await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache');
      await page.goto('/jobs', { waitUntil: 'networkidle' });
      runs.push(await page.evaluate<(typeof runs)[number]>(MEASURE));
      if (cache === 'cold') await page.context().close();
    }
    const median = (of: (run: (typeof runs)[number]) => number) =>
      Math.round(runs.map(of).sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0);
    console.log(
      `${cache} cache, median of ${RUNS}: first paint ${median((run) => run.first)} ms, largest ${median((run) => run.largest)} ms, loaded ${median((run) => run.loaded)} ms`,
    );
    await kept.context().close();
  }
} finally {
  await browser.close();
  await service.stop();
}
