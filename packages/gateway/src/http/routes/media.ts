import type { Media } from '@plugboard/store';
import { z } from 'zod';
import { MediaTooLargeError } from '../../media/shelf.ts';
import { readPieces } from '../body.ts';
import { Problem } from '../problem.ts';
import { type Reply, type Route, type RouteRequest, route } from '../route.ts';
import { sendFile } from '../send-file.ts';
import { mediaView } from '../shapes.ts';
import { maySee } from '../sight.ts';
import { viewMedia } from '../views.ts';
import { sessionOf } from './sessions.ts';

export const mediaRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/media',
    access: 'chat',
    tag: 'media',
    summary: 'Takes in a file, to be sent along with a message.',
    query: z.strictObject({ session: z.string(), name: z.string().default('file') }),
    body: 'bytes',
    answers: { 201: { description: 'The file.', schema: mediaView } },
    async handle(request) {
      const { query, gateway, incoming, desk } = request;
      const session = await sessionOf({ ...request, params: { id: query.session } });
      const type = incoming.headers['content-type'];
      const bytes = readPieces(incoming, gateway.config.server.mediaBytes, desk.timing.bodyMs);
      try {
        const given = type === undefined ? {} : { type };
        const media = await gateway.media.add(session.id, { name: query.name, bytes, ...given });
        return { status: 201, json: viewMedia(media) };
      } catch (error) {
        if (error instanceof MediaTooLargeError) throw new Problem('too-large', error.message);
        throw error;
      }
    },
  }),
  route({
    method: 'get',
    path: '/api/media/:id',
    access: 'chat',
    tag: 'media',
    summary: 'The bytes of a file.',
    answers: {
      200: { description: 'The file.', type: 'application/octet-stream' },
      206: { description: 'The part that Range names.', type: 'application/octet-stream' },
    },
    async handle(request): Promise<Reply> {
      const { gateway, incoming, outgoing, desk } = request;
      const media = await mediaOf(request);
      await sendFile(media, gateway.media.path(media), { incoming, outgoing, stallMs: desk.timing.stallMs });
      return 'taken';
    },
  }),
];

/** The file that a request names. Those of agents that a token is not for are not there for it. */
async function mediaOf({ params, gateway, principal }: RouteRequest): Promise<Media> {
  const media = await gateway.media.get(params.id ?? '');
  const session = media === undefined ? undefined : await gateway.store.sessions.get(media.sessionId);
  if (media === undefined || session === undefined || !(await maySee(gateway.store, principal, session))) {
    throw new Problem('not-found', 'There is no such file.');
  }
  return media;
}
