import { z } from 'zod';
import { MediaTooLargeError } from '../../media/media-store.ts';
import { readPieces } from '../body.ts';
import { inPath, inQuery } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { type Reply, type Route, route } from '../route.ts';
import { sendFile } from '../send-file.ts';
import { mediaView } from '../shapes.ts';
import { viewMedia } from '../views.ts';

export const mediaRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/media',
    resource: inQuery('session', 'session'),
    tag: 'media',
    summary: 'Takes in a file, to be sent along with a message.',
    query: z.strictObject({ session: z.string(), name: z.string().default('file') }),
    body: 'bytes',
    answers: { 201: { description: 'The file.', schema: mediaView } },
    async handle({ query, gateway, incoming, services, found: session }) {
      const type = incoming.headers['content-type'];
      const bytes = readPieces(incoming, gateway.config.server.mediaBytes, services.timing.bodyMs);
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
    resource: inPath('media'),
    tag: 'media',
    summary: 'The bytes of a file.',
    answers: {
      200: { description: 'The file.', type: 'application/octet-stream' },
      206: { description: 'The part that Range names.', type: 'application/octet-stream' },
    },
    async handle({ gateway, incoming, outgoing, services, found: media }): Promise<Reply> {
      await sendFile(media, (range) => gateway.media.open(media, range), {
        incoming,
        outgoing,
        stallMs: services.timing.stallMs,
      });
      return 'taken';
    },
  }),
];
