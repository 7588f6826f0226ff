import { z } from 'zod';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { nodeView } from '../shapes.ts';
import { viewNode } from '../views.ts';

/** Routes of the gateways that share a store. */
export const nodeRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/nodes',
    resource: 'nodes',
    tag: 'system',
    summary: 'Lists the gateways on the same store, also those that ended within the last day.',
    answers: { 200: { description: 'All of them.', schema: z.object({ nodes: z.array(nodeView) }) } },
    async handle({ gateway }) {
      const nodes = (await gateway.store.nodes?.list()) ?? [];
      return { status: 200, json: { nodes: nodes.map((node) => viewNode(gateway, node)) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/nodes/:name/drain',
    resource: 'nodes',
    tag: 'system',
    summary:
      'Lets a gateway take no new turns, and give its sessions and channels to the others; or the opposite.',
    body: z.strictObject({ draining: z.boolean().default(true) }),
    answers: {
      202: { description: 'It begins to.', schema: z.object({ name: z.string(), draining: z.boolean() }) },
    },
    async handle({ gateway: { membership, engine, store }, params, body }) {
      const name = params.name ?? '';
      if (membership === undefined || store.nodes === undefined)
        throw new Problem(
          'conflict',
          'This gateway has its store alone: there is no other one to take over.',
        );
      if (name === store.nodes.name) void membership.drain(body.draining);
      else if (store.nodes.peers.includes(name))
        await engine.peers.ask(name, { kind: 'drain', isDraining: body.draining });
      else throw new Problem('not-found', `There is no live gateway "${name}".`);
      return { status: 202, json: { name, draining: body.draining } };
    },
  }),
];
