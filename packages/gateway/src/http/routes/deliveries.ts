import { type Delivery, StoreError } from '@plugboard/store';
import { z } from 'zod';
import { decide } from '../../delivery/decide.ts';
import { listDeliveries, maySeeDelivery } from '../delivery-list.ts';
import { Problem } from '../problem.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { deliveryState, deliveryView } from '../shapes.ts';
import { viewDelivery } from '../views.ts';
import { sessionOf } from './sessions.ts';

/** What was sent to people, and what an operator says of it. */
export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/deliveries',
    access: 'admin',
    tag: 'deliveries',
    summary: 'Lists what was to be sent to people, newest first.',
    query: z.strictObject({
      state: deliveryState.optional(),
      session: z.string().min(1).max(200).optional().describe('Those of one session; it must be there.'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().max(200).optional().describe('The `next` of the page before.'),
    }),
    answers: {
      200: {
        description: 'A page.',
        schema: z.object({ deliveries: z.array(deliveryView), next: z.string().nullable() }),
      },
    },
    async handle({ query, gateway, principal }) {
      // A list of nothing would tell somebody who has mistyped it that all is well.
      if (query.session !== undefined) await sessionOf({ gateway, principal, params: { id: query.session } });
      const { deliveries, next } = await listDeliveries(gateway.store, principal, query);
      return { status: 200, json: { deliveries: deliveries.map(viewDelivery), next } };
    },
  }),
  route({
    method: 'get',
    path: '/api/deliveries/:id',
    access: 'admin',
    tag: 'deliveries',
    summary: 'Tells of one delivery.',
    answers: { 200: { description: 'The delivery.', schema: deliveryView } },
    handle: async (request) => ({ status: 200, json: viewDelivery(await deliveryOf(request)) }),
  }),
  route({
    method: 'post',
    path: '/api/deliveries/:id/settle',
    access: 'admin',
    tag: 'deliveries',
    summary: 'Says what became of a delivery of which nobody can tell whether it arrived.',
    body: z.strictObject({
      as: z
        .enum(['sent', 'again', 'drop'])
        .describe('It has arrived; it is to be sent again, though it may come twice; it is let go.'),
    }),
    answers: { 200: { description: 'The delivery as it is now.', schema: deliveryView } },
    async handle(request) {
      const { gateway, body, principal } = request;
      const delivery = await deliveryOf(request);
      if (body.as === 'again' && !gateway.channels.has(delivery.channel)) {
        const { channel } = delivery;
        throw new Problem('conflict', `The channel ${channel} is not open: nothing can be sent there.`);
      }
      try {
        const settled = await decide(gateway, delivery.id, { verdict: body.as, by: principal.name });
        return { status: 200, json: viewDelivery(settled) };
      } catch (error) {
        const refused = error instanceof StoreError && error.code === 'conflict';
        throw refused ? new Problem('conflict', whyNot(await deliveryOf(request))) : error;
      }
    },
  }),
];

/** The delivery that a request names. */
async function deliveryOf({ params, gateway, principal }: RouteRequest): Promise<Delivery> {
  const delivery = await gateway.store.outbox.get(params.id ?? '');
  if (delivery === undefined || !(await maySeeDelivery(gateway.store, principal, delivery))) {
    throw new Problem('not-found', 'There is no such delivery.');
  }
  return delivery;
}

function whyNot({ state, settled }: Delivery): string {
  if (settled === undefined) return `This delivery is ${state}: only one that is unknown can be settled.`;
  const { by, at } = settled;
  return `This delivery was settled by ${by} at ${new Date(at).toISOString()}, and is ${state} now.`;
}
