import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

const runTask = z.object({
  cluster: z.string(),
  taskDefinition: z.string(),
  count: z.number(),
  clientToken: z.string(),
  capacityProviderStrategy: z.array(z.object({ capacityProvider: z.string() })),
});
export type RunTaskCall = z.output<typeof runTask>;

/** A task as ECS knows it. */
export interface StandInTask {
  readonly id: string;
  readonly token: string;
  readonly provider: string;
  stopped?: string;
}

/** How ECS answers RunTask: it starts so many tasks, and says why not more; it refuses; it starts them and is not heard. */
type Course = { start: number; reason?: string } | { refuse: string; status: number } | 'unheard';

/**
 * Stands in for what scaling calls of AWS, on loopback: ECS's RunTask and DescribeTasks, SSM's GetParameter (JSON 1.1), and
 * Lambda's Invoke. A token that ECS knows is answered with its tasks.
 */
export async function startEcsStandIn() {
  const state = {
    tasks: [] as StandInTask[],
    calls: [] as RunTaskCall[],
    invoked: [] as string[],
    /** The course of the next calls of RunTask; after them all goes well. */
    courses: [] as Course[],
    taskDefinition: 'arn:aws:ecs:us-east-1:123456789012:task-definition/worker:1',
    isThrottled: false,
  };
  const arnOf = (id: string) => `arn:aws:ecs:us-east-1:123456789012:task/cluster/${id}`;

  const run = (call: RunTaskCall): { status: number; body: object } | 'unheard' => {
    state.calls.push(call);
    const known = state.tasks.filter(({ token }) => token === call.clientToken);
    const answer = (tasks: StandInTask[], failures: object[] = []) => ({
      status: 200,
      body: { tasks: tasks.map(({ id }) => ({ taskArn: arnOf(id), lastStatus: 'PROVISIONING' })), failures },
    });
    const course = state.courses.shift() ?? { start: call.count };
    if (known.length > 0) return course === 'unheard' ? course : answer(known);
    if (typeof course === 'object' && 'refuse' in course)
      return { status: course.status, body: { __type: course.refuse, message: `not for arn:aws:iam::123456789012:x` } };
    const count = course === 'unheard' ? call.count : course.start;
    const provider = call.capacityProviderStrategy[0]?.capacityProvider ?? '';
    const started = Array.from({ length: count }, (_, n): StandInTask => {
      return { id: `task${state.tasks.length + n}`, token: call.clientToken, provider };
    });
    state.tasks.push(...started);
    if (course === 'unheard') return course;
    const missing = call.count - course.start;
    return answer(
      started,
      Array.from({ length: missing }, () => ({ reason: course.reason })),
    );
  };

  const describe = (ids: readonly string[]) => {
    const tasks = state.tasks.filter(({ id }) => ids.includes(id));
    return {
      tasks: tasks.map(({ id, stopped }) => ({
        taskArn: arnOf(id),
        lastStatus: stopped === undefined ? 'PENDING' : 'STOPPED',
        ...(stopped !== undefined && { stoppedReason: stopped }),
      })),
      failures: ids
        .filter((id) => !tasks.some((task) => task.id === id))
        .map((id) => ({ arn: arnOf(id), reason: 'MISSING' })),
    };
  };

  const answerTo = async (request: IncomingMessage): Promise<{ status: number; body: object } | 'unheard'> => {
    const text = await readAll(request);
    const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? '');
    if (invoked !== null) {
      state.invoked.push(decodeURIComponent(invoked[1] ?? ''));
      return { status: 202, body: {} };
    }
    const action = String(request.headers['x-amz-target']).split('.').at(-1);
    const input: unknown = JSON.parse(text);
    if (action === 'RunTask') return run(runTask.parse(input));
    if (action === 'DescribeTasks') {
      return { status: 200, body: describe(z.object({ tasks: z.array(z.string()) }).parse(input).tasks) };
    }
    if (action === 'GetParameter' && state.isThrottled)
      return { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } };
    if (action === 'GetParameter') return { status: 200, body: { Parameter: { Value: state.taskDefinition } } };
    return { status: 400, body: { __type: 'UnknownOperation', message: String(action) } };
  };

  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (answer === 'unheard') return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
      return response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    ...state,
    /** Replaces what ECS and SSM know. */
    reset(): void {
      for (const list of [state.tasks, state.calls, state.invoked, state.courses]) list.length = 0;
      state.taskDefinition = 'arn:aws:ecs:us-east-1:123456789012:task-definition/worker:1';
      state.isThrottled = false;
    },
    throttleParameters(): void {
      state.isThrottled = true;
    },
    deploy(revision: number): void {
      state.taskDefinition = `arn:aws:ecs:us-east-1:123456789012:task-definition/worker:${revision}`;
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export type EcsStandIn = Awaited<ReturnType<typeof startEcsStandIn>>;

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
