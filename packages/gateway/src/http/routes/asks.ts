import type { Answer } from '@plugboard/protocol';
import { z } from 'zod';
import { answerOpenAsk, findOpenAsk } from '../../asks/any-open-ask.ts';
import { answerProblem } from '../../asks/open-asks.ts';
import { overWords } from '../../asks/over-words.ts';
import { inPath, inQuery } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { listRows, rowsQuery } from '../session-rows.ts';
import { askState, askView } from '../shapes.ts';
import { viewAsk } from '../views.ts';

/** Routes of questions that agents ask users. */
export const askRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/asks',
    resource: 'ask',
    mentions: [inQuery('session', 'session')],
    tag: 'asks',
    summary: 'Lists the questions that agents have put to people, newest first.',
    query: rowsQuery(askState),
    answers: {
      200: {
        description: 'A page.',
        schema: z.object({ asks: z.array(askView), next: z.string().nullable() }),
      },
    },
    async handle(request) {
      const { rows, next } = await listRows(request, request.query, request.gateway.store.asks.list);
      return { status: 200, json: { asks: rows.map(viewAsk), next } };
    },
  }),
  route({
    method: 'get',
    path: '/api/asks/:id',
    resource: inPath('ask'),
    tag: 'asks',
    summary: 'Tells of one question, and what became of it.',
    answers: { 200: { description: 'The question.', schema: askView } },
    handle: ({ found }) => ({ status: 200, json: viewAsk(found) }),
  }),
  route({
    method: 'post',
    path: '/api/asks/:id',
    resource: inPath('answer'),
    tag: 'asks',
    summary: 'Answers a question. The first answer counts.',
    body: z.strictObject({
      option: z.string().max(200).optional().describe('The `id` of one of its options.'),
      text: z.string().max(100_000).optional().describe('The answer to a text, or the reason of a no.'),
      data: z.json().optional().describe('The answer to a form.'),
    }),
    answers: {
      202: {
        description: 'The agent is given this answer. The `ask-ended` event of the session says so, too.',
        schema: z.object({ id: z.string(), option: z.string().nullable() }),
      },
    },
    async handle({ gateway, principal, body, found }) {
      const open = await findOpenAsk(gateway.engine, found);
      const over = (): Problem => new Problem('conflict', overWords(found, gateway.asks.given(found.id)));
      if (open === undefined) throw over();
      const given = withoutUndefined(body);
      const problem = answerProblem(open.question, given);
      if (problem !== undefined) throw new Problem('invalid', problem);
      const answer: Answer = { ...given, by: principal.name, via: 'person' };
      if (!(await answerOpenAsk(gateway.engine, open, answer))) throw over();
      gateway.log.info('A question of an agent was answered.', {
        code: 'ask-answered',
        ask: open.id,
        session: open.sessionId,
        by: principal.name,
        option: body.option ?? '',
      });
      return { status: 202, json: { id: open.id, option: body.option ?? null } };
    },
  }),
];

function withoutUndefined(body: object) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Pick<
    Answer,
    'option' | 'text' | 'data'
  >;
}
