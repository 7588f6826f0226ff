import { StoreError } from '@plugboard/store';
import { z } from 'zod';
import { deliveries } from '../../delivery/plan.ts';
import { streamChanges } from '../change-stream.ts';
import { metricsText } from '../metrics.ts';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { agentView } from '../shapes.ts';
import { viewAgents } from '../views.ts';
import { sessionOf } from './sessions.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

export const systemRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/healthz',
    access: 'public',
    tag: 'system',
    summary: 'Says that the gateway is alive.',
    answers: { 200: { description: 'Alive.', type: 'text/plain' } },
    handle: () => ({ status: 200, text: 'ok\n', headers: TEXT }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    access: 'public',
    tag: 'system',
    summary: 'Says whether messages can be taken in and answered.',
    answers: {
      200: { description: 'Ready.', type: 'text/plain' },
      503: { description: 'Not now.', type: 'text/plain' },
    },
    async handle({ gateway, desk }) {
      const ready = !gateway.engine.stopping && (await desk.readiness.isReady());
      return { status: ready ? 200 : 503, text: ready ? 'ready\n' : 'not ready\n', headers: TEXT };
    },
  }),
  route({
    method: 'get',
    path: '/metrics',
    access: 'metrics',
    tag: 'system',
    summary: 'Counters and gauges, for Prometheus.',
    answers: { 200: { description: 'The metrics.', type: 'text/plain' } },
    async handle({ gateway, desk }) {
      const headers = { ...TEXT, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { status: 200, text: await metricsText(gateway, desk.answered), headers };
    },
  }),
  route({
    method: 'post',
    path: '/api/backup',
    access: 'admin',
    tag: 'system',
    summary: 'Copies everything into a new file on the machine of the gateway.',
    body: z.strictObject({ file: z.string().startsWith('/').max(4_096) }),
    answers: { 201: { description: 'Copied.', schema: z.object({ file: z.string() }) } },
    async handle({ gateway, body }) {
      try {
        await gateway.store.backup(body.file);
      } catch (error) {
        // It speaks of the file that was named in the request, and of none of ours.
        throw error instanceof StoreError ? new Problem('conflict', error.message) : error;
      }
      return { status: 201, json: { file: body.file } };
    },
  }),
  route({
    method: 'get',
    path: '/api/agents',
    access: 'chat',
    tag: 'agents',
    summary: 'Lists the agents.',
    answers: { 200: { description: 'All of them.', schema: z.object({ agents: z.array(agentView) }) } },
    handle({ gateway, principal }) {
      return { status: 200, json: { agents: viewAgents(gateway, principal) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/feed',
    access: 'chat',
    tag: 'sessions',
    summary:
      'Streams every change of a session: what it is, not what was said in it; and the agents, at first and when they change.',
    answers: { 200: { description: 'Server-sent events.', type: 'text/event-stream' } },
    handle(request) {
      streamChanges(request);
      return 'taken';
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/notices',
    access: 'admin',
    tag: 'sessions',
    summary: 'Tells the people of a session something, in the name of the gateway.',
    body: z.strictObject({ text: z.string().min(1).max(4_000) }),
    answers: {
      202: { description: 'It will be delivered.', schema: z.object({ deliveries: z.array(z.string()) }) },
    },
    async handle(request) {
      const { gateway, body } = request;
      const session = await sessionOf(request);
      const channel = gateway.channels.get(session.channel);
      if (channel === undefined) throw new Problem('conflict', `The channel ${session.channel} is not open.`);
      const planned = deliveries(channel, session, { kind: 'notice', text: body.text, media: [] });
      const added = await Promise.all(planned.map((one) => gateway.store.outbox.add(session.id, one)));
      gateway.delivery.wake(channel.name);
      return { status: 202, json: { deliveries: added.map(({ id }) => id) } };
    },
  }),
];
