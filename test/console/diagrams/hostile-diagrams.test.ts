import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let listener: Server;
let page: Page;
const heard: string[] = [];
beforeAll(async () => {
  listener = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('');
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  page = await openAs(browser, service.consoleUrl, 'operator', { session: 'own', path: '/diagrams' });
});
afterAll(async () => {
  await page.context().close();
  listener.close();
});

const away = (path: string) => `http://127.0.0.1:${(listener.address() as AddressInfo).port}/${path}`;
const RUN = 'self.ran=1;parent.ran=1';
const IMG = `<img src=x onerror='${RUN}'>`;

/** Diagrams after advisories about mermaid, and others that try to reach something. */
const HOSTILE: Readonly<Record<string, () => string>> = {
  'icon-text': () => `architecture-beta\n  group api(cloud)[API]\n  service db "${IMG}" [DB] in api`,
  'formula-size': () =>
    `sequenceDiagram\n  participant A as ${IMG}$$x$$\n  A->>A: $$\\href{javascript:${RUN}}{x}$$ ${IMG}`,
  'html-label': () => `flowchart LR\n  A["${IMG}<img src='${away('label')}'>"] --> B["<svg onload='${RUN}'>"]`,
  'loose-directive': () =>
    `%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["${IMG}"]\n  click A call ${'alert'}(1)`,
  'loose-front-matter': () =>
    `---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n  secure: []\n---\nflowchart LR\n  A["<script>${RUN}</script>${IMG}"]`,
  'theme-css': () =>
    `%%{init: {"themeCSS": "@import url(${away('import')}); * { background: url(${away('background')}) }"}}%%\nflowchart LR\n  A`,
  'theme-variable': () =>
    `%%{init: {"themeVariables": {"fontFamily": "x;} * {background:url(${away('variable')})} a{", "primaryColor": "url(${away('colour')})"}}}%%\nflowchart LR\n  A`,
  'class-style': () =>
    `flowchart LR\n  A:::x --> B\n  classDef x fill:url(${away('fill')}),background:url(${away('class')})\n  style B fill:url(${away('style')})\n  linkStyle 0 stroke:url(${away('link')})`,
  'image-node': () => `flowchart LR\n  A@{ img: "${away('image')}", label: "x", pos: "t", w: 60, h: 60 }`,
  'script-link': () => `flowchart LR\n  A\n  click A href "javascript:${RUN}" _self`,
  'link-away': () => `flowchart LR\n  A\n  click A href "${away('followed')}" _top`,
  'markdown-image': () => `flowchart LR\n  A["\`![x](${away('markdown')}) [y](javascript:${RUN})\`"]`,
  'class-members': () => `classDiagram\n  class A["${IMG}"]\n  A : +${IMG}\n  link A "javascript:${RUN}"`,
  'state-note': () => `stateDiagram-v2\n  a: ${IMG}\n  note right of a : <iframe src='${away('note')}'></iframe>`,
  sprite: () => `C4Context\n  Person(a, "${IMG}", "x", $sprite="${away('sprite')}", $link="javascript:${RUN}")`,
  prototype: () => `%%{init: {"__proto__": {"ran": 1}, "constructor": {"prototype": {"ran": 1}}}}%%\nflowchart LR\n  A`,
  journey: () => `journey\n  title ${IMG}\n  section ${IMG}\n    ${IMG}: 5: ${IMG}`,
};

test('hostile diagrams send no request, run no script and leave the storage alone', async () => {
  const asked: string[] = [];
  // What the policy refuses never leaves, though it is reported as a request that failed.
  page.on('requestfinished', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => heard.push(dialog.message()));
  await page.evaluate("localStorage.setItem('mine', 'kept')");
  const shown: Record<string, string> = {};
  for (const [name, text] of Object.entries(HOSTILE)) {
    await service.api('PUT', `/diagrams/${name}?project=hostile`, { text: text() });
    await page.goto(`/diagrams?project=hostile&name=${name}`);
    const frame = page.frameLocator('iframe');
    await page.locator('.drawing-frame:not(.drawing-waiting), .drawing-fault').waitFor();
    shown[name] = (await page.locator('iframe').count()) > 0 ? 'drawn' : 'a fault';
    for (const where of page.frames()) expect([name, await where.evaluate('self.ran')]).toEqual([name, undefined]);
    expect([name, await frame.locator('a[href], a[xlink\\:href], script[src^="http://127"]').count()]).toEqual([
      name,
      0,
    ]);
    if (/link/.test(name)) await frame.locator('svg').getByText('A', { exact: true }).click();
  }
  expect([heard, await page.evaluate("localStorage.getItem('mine')")]).toEqual([[], 'kept']);
  const origin = new URL(service.consoleUrl).origin;
  expect(asked.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([]);
  expect(page.url()).toContain('name=journey');
  // Those that draw nothing would prove nothing.
  expect(Object.entries(shown).filter(([, how]) => how === 'drawn').length).toBeGreaterThan(10);
});

test('a script that ran in the frame would reach neither console nor network', async () => {
  await service.api('PUT', '/diagrams/plain?project=hostile', { text: 'flowchart LR\n  A' });
  await page.goto('/diagrams?project=hostile&name=plain');
  await page.frameLocator('iframe').locator('svg').waitFor();
  const [, frame] = page.frames();
  const fault = async (script: string) =>
    await frame?.evaluate(`(async () => { try { return String(${script}) } catch (error) { return error.name } })()`);
  expect(await fault('self.origin')).toBe('null');
  for (const reached of [
    'localStorage',
    'sessionStorage',
    'document.cookie',
    'parent.document.title',
    'top.localStorage',
  ])
    expect([reached, await fault(reached)]).toEqual([reached, 'SecurityError']);
  for (const url of [away('fetched'), `${new URL(service.consoleUrl).origin}/api/v1/session`])
    expect(await fault(`await fetch(${JSON.stringify(url)})`)).toBe('TypeError');
  const loads = (element: string) =>
    `await new Promise((done) => { const one = ${element}; one.onload = () => done('loaded'); one.onerror = () => done('refused'); document.body.append(one) })`;
  expect(await fault(loads(`Object.assign(new Image(), { src: '${away('pixel')}' })`))).toBe('refused');
  const script = (src: string) => loads(`Object.assign(document.createElement('script'), { src: '${src}' })`);
  expect(await fault(script(away('script')))).toBe('refused');
  expect(await fault(script('data:text/javascript,self.ran=1'))).toBe('refused');
  // What the console itself may load.
  const own = new URL(service.consoleUrl).origin;
  expect(await fault(loads(`Object.assign(new Image(), { src: '${own}/icon.svg' })`))).toBe('refused');
  const asset = await page.evaluate<string>("document.querySelector('script[src]').src");
  expect(await fault(script(asset))).toBe('refused');
  expect(await fault(`open('${away('window')}')`)).toBe('null');
  await fault(`(top.location = '${away('top')}')`);
  await fault(`(location = '${away('navigated')}')`);
  await page.getByRole('heading', { name: 'plain' }).waitFor();
  await page.reload();
  await page.frameLocator('iframe').locator('svg').waitFor();
  expect(heard).toEqual([]);
});
