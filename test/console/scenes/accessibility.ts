import { parseArgs } from 'node:util';
import { startService } from '../../local-run/local-service.ts';
import { launchOwnBrowser, openAs } from '../setup/browser.ts';
import { makeSampleData } from '../setup/sample-data.ts';
import { checkScene, openScene } from './check-scene.ts';
import { SCENES } from './scenes.ts';

/**
 * Checks every scene of scenes.ts, or those with the given name prefixes, with all rules of axe in every look:
 * `npm run prove -- accessibility [NAME…]`. Prints its findings and exits with 1 if there are any.
 */
const { positionals: wanted } = parseArgs({ allowPositionals: true });
const scenes = SCENES.filter(({ name }) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)));
const browser = await launchOwnBrowser();
const service = await startService({ env: { PROMPTQ_CONCURRENCY: '3' } });
let found = 0;
try {
  const admin = await openAs(browser, service.consoleUrl, 'admin');
  const jobs = await makeSampleData(service, admin);
  const from = performance.now();
  for (const scene of scenes) {
    const page = await admin.context().newPage();
    page.setDefaultTimeout(15_000);
    const faults = await openScene(page, scene, jobs)
      .then(async () => await checkScene(page, 'thorough'))
      .catch((error: Error) => [error.message]);
    found += faults.length;
    for (const fault of faults) console.log(`${scene.name}: ${fault}`);
    await page.close();
  }
  const seconds = Math.round((performance.now() - from) / 1000);
  console.log(
    `${scenes.length} scenes checked in ${seconds} s: ${found === 0 ? 'nothing found' : `${found} findings`}`,
  );
} finally {
  await browser.close();
  await service.stop();
}
process.exitCode = found === 0 ? 0 : 1;
