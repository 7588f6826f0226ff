import { z } from 'zod';
import { disconnectionOf } from '../../disconnection.ts';
import { type Reply, type Route, type RouteRequest, route } from '../../route.ts';
import { answerLive, answerWhole } from '../answer.ts';
import { ask } from '../asking/ask.ts';
import { keyOf } from '../asking/key.ts';
import { sessionNameOf } from '../asking/session-name.ts';
import { described, parseBody } from '../body.ts';
import type { Continuations } from '../conversation/continuations.ts';
import { checkModel } from '../models.ts';
import { onceOnly } from '../once-only.ts';
import { OpenaiProblem } from '../problem.ts';
import { type ResponseBody, responseBody } from './body.ts';
import { inputConversation } from './conversation.ts';
import { findEarlier, previousSession, rebuild } from './earlier.ts';
import { wholeOutput } from './output.ts';
import { resolveReferences } from './references.ts';
import { createResponseScript } from './script.ts';
import { type Echo, responseView, viewResponse } from './shape.ts';

const answers = { 200: { description: 'The answer.', schema: responseView } };

/** `/v1/responses`. */
export function responseRoutes(continuations: Continuations): readonly Route[] {
  return [
    route<undefined, unknown>({
      method: 'post',
      path: '/v1/responses',
      access: 'chat',
      tag: 'openai',
      summary: 'Asks an agent, as a model: the response at once, or with stream as server-sent events.',
      body: described(responseBody),
      answers,
      handle: onceOnly((request) => create(request, continuations)),
    }),
    route({
      method: 'get',
      path: '/v1/responses/:id',
      access: 'chat',
      tag: 'openai',
      summary: 'Gives a response again, as far as it has come.',
      query: z.strictObject({ stream: z.literal('false').optional() }),
      answers,
      handle: retrieve,
    }),
  ];
}

async function create(request: RouteRequest, continuations: Continuations): Promise<Reply> {
  const { gateway, incoming, outgoing, principal, requestId } = request;
  const gone = disconnectionOf(outgoing);
  const body = parseBody(responseBody, request.body, gateway.config.server.openaiStrict);
  const { model, previous_response_id: id } = body;
  checkModel(request, model);
  const asked = await ask(request, continuations, {
    pair: { principal: principal.id, model },
    conversation: inputConversation(await resolveReferences(request, body.input), body.instructions),
    previous: id === null || id === undefined ? undefined : await previousSession(request, id, model),
    sessionName: sessionNameOf(incoming, body.metadata),
    key: keyOf(request),
  });
  const live = body.stream === true;
  const hearing = { gateway, incoming, outgoing, asked, gone, live };
  const echo = echoOf(body);
  if (live) return answerLive(hearing, (send) => createResponseScript(echo, requestId, send));
  return answerWhole(hearing, (heard) => {
    const { turn, end } = heard;
    return viewResponse(
      turn,
      { status: 'completed', output: wholeOutput(turn.id, heard, 'completed'), end },
      echo,
    );
  });
}

/** What the request was is not kept; what was answered is. */
async function retrieve(request: RouteRequest): Promise<Reply> {
  const id = request.params.id ?? '';
  const earlier = await findEarlier(request, id);
  if (earlier === undefined) {
    throw new OpenaiProblem('not-found', `Response with id "${id}" not found.`, {
      code: 'response_not_found',
    });
  }
  const progress = await rebuild(request, earlier.turn);
  const echo = { instructions: null, metadata: {}, previous: null };
  return { status: 200, json: viewResponse(earlier.turn, progress, echo) };
}

function echoOf({ instructions, metadata, previous_response_id: previous }: ResponseBody): Echo {
  return { instructions: instructions ?? null, metadata: metadata ?? {}, previous: previous ?? null };
}
