import { z } from 'zod';
import { type Found, inBody, inPath } from '../../lookup.ts';
import { type Reply, type Route, type RouteRequest, route } from '../../route.ts';
import { type AnswerFormat, answerQuestion } from '../answer.ts';
import { parseBody } from '../body.ts';
import type { Continuations } from '../conversation/continuations.ts';
import { modelNotFound } from '../models.ts';
import { OpenaiProblem } from '../problem.ts';
import { type ResponseBody, responseBody } from './body.ts';
import { inputConversation } from './conversation.ts';
import { previousSession, rebuildAnswer } from './earlier.ts';
import { createResponseEncoder } from './encoder.ts';
import { wholeOutput } from './output.ts';
import { resolveReferences } from './references.ts';
import { type Echo, responseView, viewResponse } from './shape.ts';

const answers = { 200: { description: 'The answer.', schema: responseView } };

/** `/v1/responses`. */
export function responseRoutes(continuations: Continuations): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/responses',
      resource: inBody('agent', 'model', modelNotFound),
      tag: 'openai',
      summary: 'Asks an agent, as a model: the response at once, or with stream as server-sent events.',
      body: responseBody,
      parseBody: (value, { server }) => parseBody(responseBody, value, server.openaiStrict),
      answers,
      handle: (request) => answerQuestion(request, continuations, responseFormat(request)),
    }),
    route({
      method: 'get',
      path: '/v1/responses/:id',
      resource: inPath('response', responseNotFound),
      tag: 'openai',
      summary: 'Gives a response again, as far as it has come.',
      query: z.strictObject({ stream: z.literal('false').optional() }),
      answers,
      handle: retrieveResponse,
    }),
  ];
}

function responseFormat(request: RouteRequest<unknown, ResponseBody>): AnswerFormat {
  const { body, requestId } = request;
  const { model, input, instructions, previous_response_id: previous } = body;
  const echo = echoOf(body);
  return {
    readQuestion: async () => ({
      conversation: inputConversation(await resolveReferences(request, input), instructions),
      previous: typeof previous === 'string' ? await previousSession(request, previous, model) : undefined,
    }),
    view(answer) {
      const { turn, end } = answer;
      const output = wholeOutput(turn.id, answer, 'completed');
      return viewResponse(turn, { status: 'completed', output, end }, echo);
    },
    createEncoder: (send) => createResponseEncoder(echo, requestId, send),
  };
}

/** The request is not stored, so that `echo` is empty. */
async function retrieveResponse(request: RouteRequest<unknown, unknown, Found['response']>): Promise<Reply> {
  const { turn } = request.found;
  const echo = { instructions: null, metadata: {}, previous: null };
  return { status: 200, json: viewResponse(turn, await rebuildAnswer(request, turn), echo) };
}

function responseNotFound(id: string): OpenaiProblem {
  return new OpenaiProblem('not-found', `Response with id "${id}" not found.`, {
    code: 'response_not_found',
  });
}

function echoOf({ instructions, metadata, previous_response_id: previous }: ResponseBody): Echo {
  return { instructions: instructions ?? null, metadata: metadata ?? {}, previous: previous ?? null };
}
