import { z } from 'zod';
import { mayUseAgent } from '../authorize.ts';
import { inPath } from '../lookup.ts';
import { type Route, route } from '../route.ts';
import { OpenaiProblem } from './problem.ts';

const model = z
  .object({ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() })
  .meta({ id: 'Model' });

function viewModel(id: string): z.infer<typeof model> {
  return { id, object: 'model', created: 0, owned_by: 'plugboard' };
}

export const modelRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/models',
    resource: 'agent',
    tag: 'openai',
    summary: 'Lists the agents, as models.',
    answers: {
      200: {
        description: 'All of them.',
        schema: z.object({ object: z.literal('list'), data: z.array(model) }),
      },
    },
    handle({ gateway, principal }) {
      const names = gateway.agents.names.filter((name) => mayUseAgent(principal, name));
      return { status: 200, json: { object: 'list', data: names.map(viewModel) } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/models/:id',
    resource: inPath('agent', modelNotFound),
    tag: 'openai',
    summary: 'Tells of one agent, as a model.',
    answers: { 200: { description: 'The model.', schema: model } },
    handle: ({ found }) => ({ status: 200, json: viewModel(found) }),
  }),
];

/** The error for an agent that does not exist, or that the token may not use. */
export function modelNotFound(id: string): OpenaiProblem {
  return new OpenaiProblem('not-found', `The model "${id}" does not exist.`, {
    code: 'model_not_found',
    param: 'model',
  });
}
