import type { JsonValue } from '@plugboard/protocol';
import { until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createNewsSender, type NodeNews } from '../../src/nodes/node-news.ts';

function listen(peers: readonly string[] = ['south']) {
  const heard: NodeNews[] = [];
  const nodes = { peers, publish: (news: JsonValue) => void heard.push(news as NodeNews) };
  return { heard, nodes, news: createNewsSender(nodes) };
}

it('events of a session that follow each other are one range in one notification', async () => {
  const { heard, news } = listen();
  news.events('a', 1, 2);
  news.events('b', 7, 7);
  news.events('a', 3, 9);
  await until(() => heard.length > 0, 'the notification');
  expect(heard).toEqual([{ events: { a: [1, 9], b: [7, 7] } }]);
});

it('a message that waits is told at once, with what was collected before', async () => {
  const { heard, news } = listen();
  news.changed('a');
  news.waiting('b');
  news.waiting('b');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([{ changed: ['a'] }, { waiting: ['b'] }]);
});

it('no notification has more than the server takes', async () => {
  const { heard, news } = listen();
  const ids = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(32, '0'));
  for (const id of ids) {
    news.events(id, 1_000_000, 2_000_000);
    news.deliveries(id);
  }
  news.work();
  await until(() => heard.some(({ work }) => work === true), 'all notifications');
  for (const one of heard) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(7_000);
  expect(heard.flatMap(({ events = {} }) => Object.keys(events)).sort()).toEqual(ids);
  expect(heard.flatMap(({ deliveries = [] }) => deliveries).sort()).toEqual(ids);
});

it('a gateway without others tells nothing, also not later', async () => {
  const { heard, nodes, news } = listen([]);
  news.events('a', 1, 1);
  news.waiting('a');
  const later = createNewsSender({ ...nodes, peers: ['south'] });
  later.waiting('b');
  await until(() => heard.length > 0, 'the news of the other sender');
  expect(heard).toEqual([{ waiting: ['b'] }]);
});
