import type { Person } from '@plugboard/store';
import { z } from 'zod';
import type { Channel } from '../../channels/channel.ts';
import type { Gateway } from '../../gateway.ts';
import { Problem } from '../problem.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import type { ChannelView, PersonView } from '../shapes.ts';
import { channelView, personView } from '../shapes.ts';

const MOST_PEOPLE = 500;
const key = z.string().min(1).max(500);

/** Routes of the channels, and of the people who may talk in them. */
export const channelRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/channels',
    resource: 'channels',
    tag: 'channels',
    summary: 'Lists the channels: their state, the last message, and what went wrong last.',
    answers: {
      200: { description: 'All of them.', schema: z.object({ channels: z.array(channelView) }) },
    },
    handle: ({ gateway }) => ({
      status: 200,
      json: { channels: [...gateway.channels.values()].map((channel) => viewChannel(gateway, channel)) },
    }),
  }),
  route({
    method: 'post',
    path: '/api/channels/:channel/invitations',
    resource: 'people',
    tag: 'channels',
    summary: 'Makes a code that lets the first person in who sends it to the channel, within an hour.',
    body: z.strictObject({}),
    answers: { 201: { description: 'The code.', schema: z.object({ code: z.string() }) } },
    async handle({ gateway, params, principal }) {
      const { name } = requireChannel(gateway, params.channel);
      return { status: 201, json: { code: await gateway.access.invite(name, principal.name) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/people',
    resource: 'people',
    tag: 'channels',
    summary: 'Lists who may talk in the channels, and who asks to, newest first.',
    query: z.strictObject({ state: z.enum(['asking', 'paired']).optional() }),
    answers: { 200: { description: 'At most 500.', schema: z.object({ people: z.array(personView) }) } },
    async handle({ gateway, query }) {
      const only = query.state === undefined ? {} : { state: query.state };
      const people = await gateway.store.people.list({ ...only, limit: MOST_PEOPLE });
      return { status: 200, json: { people: people.map(viewPerson) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/people',
    resource: 'people',
    tag: 'channels',
    summary: 'Lets a person in who has asked: by the code that was given out, or by channel and id.',
    body: z.union([
      z.strictObject({ code: z.string().min(1).max(50) }),
      z.strictObject({ channel: key, sender: key }),
    ]),
    answers: { 200: { description: 'The person, who is told.', schema: personView } },
    async handle({ gateway, body, principal: { name } }) {
      const person =
        'code' in body
          ? await gateway.access.accept(body.code, name)
          : await gateway.access.acceptRequest(body.channel, body.sender, name);
      if (person === undefined)
        throw new Problem('not-found', 'Nobody who is waiting has this code, or it is older than an hour.');
      return { status: 200, json: viewPerson(person) };
    },
  }),
  route({
    method: 'delete',
    path: '/api/people',
    resource: 'people',
    tag: 'channels',
    summary: 'Removes a person, or a request. The person may not talk from the next message on.',
    query: z.strictObject({ channel: key, sender: key }),
    answers: { 204: { description: 'Removed.' } },
    async handle({ gateway, query: { channel, sender }, principal: { name: by } }) {
      if (!(await gateway.store.people.remove(channel, sender)))
        throw new Problem('not-found', 'There is no such person.');
      gateway.log.info('A person was removed.', { code: 'person-removed', channel, sender, by });
      return { status: 204 };
    },
  }),
];

function requireChannel(gateway: RouteRequest['gateway'], name = ''): Channel {
  const channel = gateway.channels.get(name);
  if (channel === undefined || !gateway.config.channels.platforms.has(name))
    throw new Problem('not-found', 'There is no such channel.');
  return channel;
}

function viewChannel(gateway: Gateway, { name }: Channel): ChannelView {
  const { lastMessageAt, lastError } = gateway.channelNews(name);
  return {
    name,
    kind: gateway.config.channels.platforms.get(name)?.kind ?? name,
    state: gateway.channelState(name) ?? 'stopped',
    lastMessageAt: lastMessageAt ?? null,
    lastError: lastError ?? null,
  };
}

function viewPerson({ expiresAt, pairedAt, pairedBy, ...person }: Person): PersonView {
  return {
    ...person,
    expiresAt: expiresAt ?? null,
    pairedAt: pairedAt ?? null,
    pairedBy: pairedBy ?? null,
  };
}
