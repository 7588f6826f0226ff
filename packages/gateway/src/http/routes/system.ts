import { StoreError } from '@plugboard/store';
import { z } from 'zod';
import { planDeliveries } from '../../delivery/plan.ts';
import { streamChanges } from '../change-stream.ts';
import { inPath } from '../lookup.ts';
import { metricsText } from '../metrics.ts';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { agentView } from '../shapes.ts';
import { viewAgents } from '../views.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

export const systemRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/healthz',
    resource: 'public',
    tag: 'system',
    summary: 'Says that the gateway is alive.',
    answers: { 200: { description: 'Alive.', type: 'text/plain' } },
    handle: () => ({ status: 200, text: 'ok\n', headers: TEXT }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    resource: 'public',
    tag: 'system',
    summary: 'Says whether messages can be taken in and answered.',
    answers: {
      200: {
        description: 'Ready; a second line says when files can be neither kept nor read.',
        type: 'text/plain',
      },
      503: { description: 'Not now.', type: 'text/plain' },
    },
    async handle({ gateway, services }) {
      const ready = !gateway.engine.stopping && (await services.readiness.isReady());
      if (!ready) return { status: 503, text: 'not ready\n', headers: TEXT };
      const files = (await services.readiness.hasFiles()) ? '' : 'files can be neither kept nor read now\n';
      return { status: 200, text: `ready\n${files}`, headers: TEXT };
    },
  }),
  route({
    method: 'get',
    path: '/metrics',
    resource: 'metrics',
    tag: 'system',
    summary: 'Counters and gauges, for Prometheus.',
    answers: { 200: { description: 'The metrics.', type: 'text/plain' } },
    async handle({ gateway, services, principal }) {
      const headers = { ...TEXT, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { status: 200, text: await metricsText(gateway, services.answered, principal), headers };
    },
  }),
  route({
    method: 'post',
    path: '/api/backup',
    resource: 'backup',
    tag: 'system',
    summary: 'Copies everything into a new file on the machine of the gateway.',
    body: z.strictObject({ file: z.string().startsWith('/').max(4_096) }),
    answers: { 201: { description: 'Copied.', schema: z.object({ file: z.string() }) } },
    async handle({ gateway, body }) {
      try {
        await gateway.store.backup(body.file);
      } catch (error) {
        // The message names only the file from the request, and no path of the gateway.
        throw error instanceof StoreError ? new Problem('conflict', error.message) : error;
      }
      return { status: 201, json: { file: body.file } };
    },
  }),
  route({
    method: 'get',
    path: '/api/agents',
    resource: 'agent',
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
    resource: 'session',
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
    resource: inPath('notice'),
    tag: 'sessions',
    summary: 'Tells the people of a session something, in the name of the gateway.',
    body: z.strictObject({ text: z.string().min(1).max(4_000) }),
    answers: {
      202: { description: 'It will be delivered.', schema: z.object({ deliveries: z.array(z.string()) }) },
    },
    async handle({ gateway, body, found: session }) {
      const channel = gateway.channels.get(session.channel);
      if (channel === undefined) throw new Problem('conflict', `The channel ${session.channel} is not open.`);
      const planned = planDeliveries(channel, session, { kind: 'notice', text: body.text, media: [] });
      const added = await Promise.all(planned.map((one) => gateway.store.outbox.add(session.id, one)));
      gateway.engine.wakeDelivery(channel.name);
      return { status: 202, json: { deliveries: added.map(({ id }) => id) } };
    },
  }),
];
