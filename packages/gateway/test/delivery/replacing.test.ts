import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/channels/channel.ts';
import { createFakeChannel } from './fake-channel.ts';
import { openPost, type Post } from './post.ts';

/** An answer that is to replace what has grown so far. */
async function deliver(post: Post, edits: string | null): Promise<void> {
  await post.add('all of it', 'hall', { edits });
  await post.rest();
}

describe('an answer that replaces what has grown', () => {
  it('is put in its place', async () => {
    const channel = createFakeChannel();
    const post = openPost([channel]);
    await post.open();
    await deliver(post, 'p7');
    expect(channel.calls).toMatchObject([{ what: 'edit', id: 'p7', text: 'all of it' }]);
    expect(await post.store.outbox.list({ limit: 1 })).toMatchObject([{ state: 'sent', platformId: 'p7' }]);
  });

  it('is sent when what has grown is gone, or was never known', async () => {
    const edit = (): void => {
      throw new SendError('never', 'message to edit not found');
    };
    const channel = createFakeChannel({ on: { edit } });
    const post = openPost([channel]);
    await post.open();
    await deliver(post, 'p7');
    await deliver(post, null);
    expect(channel.calls.map(({ what }) => what)).toEqual(['edit', 'send', 'send']);
    expect(await post.states()).toEqual(['sent', 'sent']);
  });

  it.each([
    ['later', new SendError('later', '429', { afterMs: 20 })],
    ['cut off', new Error('reset')],
  ])('is put there again when that failed (%s): twice is once', async (_what, error) => {
    const edit = (_: unknown, nth: number): void => {
      if (nth < 3) throw error;
    };
    const channel = createFakeChannel({ on: { edit } });
    const post = openPost([channel]);
    await post.open();
    await deliver(post, 'p7');
    expect(channel.calls.map(({ what }) => what)).toEqual(['edit', 'edit', 'edit']);
    expect(channel.texts()).toEqual(['all of it']);
  });

  it('is not sent again when its sending, after all, was cut off', async () => {
    const edit = (): void => {
      throw new SendError('never', 'message to edit not found');
    };
    const send = (): void => {
      throw new SendError('unknown', 'reset');
    };
    const channel = createFakeChannel({ on: { edit, send }, without: ['resolve'] });
    const post = openPost([channel]);
    await post.open();
    await deliver(post, 'p7');
    expect(await post.states()).toEqual(['unknown']);
    expect(channel.made('send')).toHaveLength(1);
  });

  it.each([
    ['put there again', 'p7', 'pending', ['resolve', 'edit'], 'sent'],
    ['not repeated when it was sent by itself', 'p7', {}, ['resolve'], 'sent'],
    ['left to a person when nobody knows what it replaced', null, 'pending', ['resolve'], 'unknown'],
  ] as const)('was cut off by a crash and is %s', async (_what, edits, found, calls, state) => {
    const channel = createFakeChannel({ on: { resolve: () => found } });
    const post = openPost([channel]);
    await post.add('all of it', 'hall', { edits });
    await post.store.outbox.take({ channel: 'fake', node: 'north', limit: 1 });
    await post.open();
    await post.rest();
    expect(channel.calls.map(({ what }) => what)).toEqual(calls);
    expect(await post.states()).toEqual([state]);
  });

  it('waits in the outbox over a restart, and still knows what it replaces', async () => {
    const channel = createFakeChannel();
    const post = openPost([channel]);
    await post.add('all of it', 'hall', { edits: 'p7' });
    await post.open();
    await post.rest();
    expect(channel.calls).toMatchObject([{ what: 'edit', id: 'p7' }]);
  });
});
