import { type Delivery, StoreError } from '@plugboard/store';
import { z } from 'zod';
import { settleUnknown } from '../../delivery/decide.ts';
import { inPath, inQuery } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { listRows, rowsQuery } from '../session-rows.ts';
import { deliveryState, deliveryView } from '../shapes.ts';
import { viewDelivery } from '../views.ts';

/** Routes of the outbox, where an operator also settles unknown deliveries. */
export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/deliveries',
    resource: 'delivery',
    mentions: [inQuery('session', 'session')],
    tag: 'deliveries',
    summary: 'Lists what was to be sent to people, newest first.',
    query: rowsQuery(deliveryState),
    answers: {
      200: {
        description: 'A page.',
        schema: z.object({ deliveries: z.array(deliveryView), next: z.string().nullable() }),
      },
    },
    async handle(request) {
      const { rows, next } = await listRows(request, request.query, request.gateway.store.outbox.list);
      return { status: 200, json: { deliveries: rows.map(viewDelivery), next } };
    },
  }),
  route({
    method: 'get',
    path: '/api/deliveries/:id',
    resource: inPath('delivery'),
    tag: 'deliveries',
    summary: 'Tells of one delivery.',
    answers: { 200: { description: 'The delivery.', schema: deliveryView } },
    handle: ({ found }) => ({ status: 200, json: viewDelivery(found) }),
  }),
  route({
    method: 'post',
    path: '/api/deliveries/:id/settle',
    resource: inPath('delivery'),
    tag: 'deliveries',
    summary: 'Says what became of a delivery of which nobody can tell whether it arrived.',
    body: z.strictObject({
      as: z
        .enum(['sent', 'again', 'drop'])
        .describe('It has arrived; it is to be sent again, though it may come twice; it is let go.'),
    }),
    answers: { 200: { description: 'The delivery as it is now.', schema: deliveryView } },
    async handle({ gateway, body, principal, found: delivery }) {
      if (body.as === 'again' && !gateway.channels.has(delivery.channel)) {
        const { channel } = delivery;
        throw new Problem('conflict', `The channel ${channel} is not open: nothing can be sent there.`);
      }
      try {
        const settled = await settleUnknown(gateway, delivery.id, { verdict: body.as, by: principal.name });
        return { status: 200, json: viewDelivery(settled) };
      } catch (error) {
        const refused = error instanceof StoreError && error.code === 'conflict';
        throw refused
          ? new Problem('conflict', whyNot((await gateway.store.outbox.get(delivery.id)) ?? delivery))
          : error;
      }
    },
  }),
];

function whyNot({ state, settled }: Delivery): string {
  if (settled === undefined) return `This delivery is ${state}: only one that is unknown can be settled.`;
  const { by, at } = settled;
  return `This delivery was settled by ${by} at ${new Date(at).toISOString()}, and is ${state} now.`;
}
