import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { startService } from '../../local-run/local-service.ts';
import { launchOwnBrowser, openAs } from '../setup/browser.ts';
import { makeSampleData, type SampleJobs } from '../setup/sample-data.ts';
import { SCENES } from './scenes.ts';

/**
 * Takes screenshots of the whole console on sample data:
 * `npm run screenshots -- FOLDER [NAME…] [--look LOOK]… [--window]`. By default it captures the full page of every
 * scene of scenes.ts in light, dark and 360 px wide. A name is a prefix of scene names.
 */
const LOOKS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  medium: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  narrow: { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  'narrow-dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
} as const;
type Look = keyof typeof LOOKS;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    look: { type: 'string', multiple: true, default: ['light', 'dark', 'narrow'] },
    window: { type: 'boolean', default: false },
  },
});
const [folder, ...wanted] = positionals;
if (folder === undefined) throw new Error('say into which folder: npm run screenshots -- FOLDER');
const looks = (Object.keys(LOOKS) as Look[]).filter((look) => values.look.includes(look));

const browser = await launchOwnBrowser();
const service = await startService({ env: { PROMPTQ_CONCURRENCY: '3' } });
try {
  const admin = await openAs(browser, service.consoleUrl, 'admin');
  const jobs = await makeSampleData(service, admin);
  await admin.context().close();
  await mkdir(resolve(folder), { recursive: true });
  for (const look of looks) await shoot(browser, look, jobs, folder);
} finally {
  await browser.close();
  await service.stop();
}

/** Captures the scenes of one variant, one after the other. Each has a time limit, so that one failure skips no other. */
async function shoot(opened: Browser, look: Look, jobs: SampleJobs, into: string): Promise<void> {
  const context = LOOKS[look];
  const first = await openAs(opened, service.consoleUrl, 'admin', { context: { ...context, reducedMotion: 'reduce' } });
  for (const scene of SCENES) {
    if (wanted.length > 0 && !wanted.some((name) => scene.name.startsWith(name))) continue;
    const page = await first.context().newPage();
    page.setDefaultTimeout(15_000);
    const file = join(resolve(into), `${scene.name}-${look}.png`);
    try {
      await scene.before?.(page);
      await page.goto(scene.path(jobs));
      if (!scene.name.startsWith('loading')) {
        await page.locator('#main :is(h1, [role=alert], [class*=awsui_alert]):visible').first().waitFor();
        await page
          .locator('#main [class*=spinner-rotator]')
          .or(page.getByText(/^Reading /))
          .first()
          .waitFor({ state: 'detached' });
      }
      await scene.act?.(page);
    } catch (error) {
      console.log(`${scene.name}: ${(error as Error).message.split('\n', 1)[0]}`);
    }
    // Overlays are positioned relative to the window.
    const fullPage = !values.window && (await page.getByRole('dialog').count()) === 0;
    await page.screenshot({ path: file, fullPage });
    await page.close();
  }
  await first.context().close();
}
