import { z } from 'zod';
import { mayUse } from '../auth.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
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
    access: 'chat',
    tag: 'openai',
    summary: 'Lists the agents, as models.',
    answers: {
      200: {
        description: 'All of them.',
        schema: z.object({ object: z.literal('list'), data: z.array(model) }),
      },
    },
    handle({ gateway, principal }) {
      const names = gateway.agents.names.filter((name) => mayUse(principal, name));
      return { status: 200, json: { object: 'list', data: names.map(viewModel) } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/models/:id',
    access: 'chat',
    tag: 'openai',
    summary: 'Tells of one agent, as a model.',
    answers: { 200: { description: 'The model.', schema: model } },
    handle(request) {
      const id = request.params.id ?? '';
      checkModel(request, id);
      return { status: 200, json: viewModel(id) };
    },
  }),
];

/** Throws when there is no such agent, or none that this token is for. */
export function checkModel(
  { gateway, principal }: Pick<RouteRequest, 'gateway' | 'principal'>,
  id: string,
): void {
  if (gateway.agents.get(id) !== undefined && mayUse(principal, id)) return;
  throw new OpenaiProblem('not-found', `The model "${id}" does not exist.`, {
    code: 'model_not_found',
    param: 'model',
  });
}
