import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { complaints, diagnose } from '../bin/doctor-command.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** A local run whose processes may each open as few files as a careless shell allows. */
const LIMIT = 128;
let service: OwnService;
beforeAll(async () => {
  service = await startService({ under: ['prlimit', `--nofile=${LIMIT}:${LIMIT}`] });
});
afterAll(async () => await service.stop());

const descriptors = async () => (await readdir(`/proc/${service.pid}/fd`)).length;

/** Opens a connection and sends a request on it; the response is dropped. */
function open(path: string): Socket {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  socket.write(
    `GET /api/v1${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${service.token}\r\n\r\n`,
  );
  return socket;
}

it('warns at its start, and in the doctor, that it can open too few', async () => {
  const sentence = `can open ${LIMIT} files at once, which is too few for many clients`;
  expect(service.output()).toContain(sentence);
  const report = await diagnose([], { PROMPTQ_HOME: service.home });
  expect(complaints(report)).toContainEqual(expect.stringContaining(sentence));
});

it('answers again after more clients than it can serve, also on routes not used before', {
  timeout: 180_000,
}, async () => {
  const job = await createJob(service, { prompt: 'sleep 10; echo done', profile: 'shell' });
  const before = await descriptors();
  const sockets = [
    ...Array.from({ length: 110 }, () => open(`/jobs/${job}/logs?follow=1&stream=all`)),
    // Idle ones too.
    ...Array.from({ length: 60 }, () => open('/health')),
  ];
  await waitFor(async () => sockets.every(({ connecting }) => !connecting));
  // A new connection may be cut off as long as too many clients are connected.
  const ended = await waitFor(async () => await untilEnded(service, job));
  expect(ended).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  for (const socket of sockets) socket.destroy();

  const paths = ['/profiles', '/rules', '/projects', '/stats', '/environment', `/jobs/${job}/result`];
  await waitFor(async () => {
    const answers = await Promise.all(paths.map(async (path) => await service.api('GET', path)));
    const refused = answers.filter(({ status }) => status !== 200);
    if (refused.length > 0) throw new Error(refused.map(({ status, text }) => `${status} ${text}`).join('; '));
    return true;
  });
  await waitFor(async () => (await descriptors()) < before + 20);
  // It never ran out of them, neither for a connection nor for the code of a route.
  const logs = ['api.log', 'worker.log'].map((name) => readFile(join(service.home, 'logs', name), 'utf8'));
  expect([service.output(), ...(await Promise.all(logs))].join()).not.toContain('EMFILE');
  const next = await createJob(service, { prompt: 'echo again', profile: 'shell' });
  expect(await untilEnded(service, next)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});
