import { describe, expect, it } from 'vitest';
import { type OpenStore, place, useStore } from './setup.ts';

const TOKEN = { id: 't1', name: 'laptop', hash: 'h1', scopes: ['chat', 'read'] };

export function describeTokens(open: OpenStore): void {
  describe('tokens', () => {
    const its = useStore(open);

    it('a token is found by its hash, and its use is noted once a minute', async () => {
      its.clock.now = 1_000;
      const added = await its.store.tokens.add(TOKEN);
      expect(added).toEqual({
        id: 't1',
        name: 'laptop',
        scopes: ['chat', 'read'],
        createdAt: 1_000,
        expiresAt: undefined,
        lastUsedAt: undefined,
      });
      its.clock.now = 2_000;
      expect(await its.store.tokens.find('h1')).toEqual({ ...added, lastUsedAt: 2_000 });
      its.clock.now = 61_999;
      expect((await its.store.tokens.find('h1'))?.lastUsedAt).toBe(2_000);
      its.clock.now = 62_000;
      await its.store.tokens.find('h1');
      expect(await its.store.tokens.list()).toEqual([{ ...added, lastUsedAt: 62_000 }]);
      expect(await its.store.tokens.find('h2')).toBeUndefined();
    });

    it('an expired token is not found but listed', async () => {
      await its.store.tokens.add({ ...TOKEN, expiresInMs: 1_000 });
      its.clock.now += 999;
      expect(await its.store.tokens.find('h1')).toBeDefined();
      its.clock.now += 1;
      expect(await its.store.tokens.find('h1')).toBeUndefined();
      expect(await its.store.tokens.list()).toHaveLength(1);
    });

    it('a revoked token is neither found nor listed', async () => {
      await its.store.tokens.add(TOKEN);
      expect(await its.store.tokens.revoke('t1')).toBe(true);
      expect(await its.store.tokens.revoke('t1')).toBe(false);
      expect(await its.store.tokens.find('h1')).toBeUndefined();
      expect(await its.store.tokens.list()).toEqual([]);
    });

    it('a second token with the same id or hash is refused', async () => {
      await its.store.tokens.add(TOKEN);
      const conflict = { code: 'conflict' };
      await expect(its.store.tokens.add({ ...TOKEN, hash: 'h2' })).rejects.toMatchObject(conflict);
      await expect(its.store.tokens.add({ ...TOKEN, id: 't2' })).rejects.toMatchObject(conflict);
      expect(await its.store.tokens.list()).toHaveLength(1);
    });

    it('a second token with a unique name is refused, also at once, until the first was revoked or has expired', async () => {
      const named = { name: 'ci', scopes: ['chat'], isNameUnique: true };
      const add = (id: string, more: object = {}) =>
        its.store.tokens.add({ ...named, id, hash: id, ...more });
      const made = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => add(id)));
      expect(made.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        ...['rejected', 'rejected', 'rejected'],
      ]);
      const refused = made.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
      for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' });
      const [first] = await its.store.tokens.list();
      expect(await its.store.tokens.list()).toHaveLength(1);
      await its.store.tokens.revoke(first?.id ?? '');
      await add('e', { expiresInMs: 1_000 });
      await expect(add('f')).rejects.toMatchObject({ code: 'conflict' });
      its.clock.now += 1_000;
      await add('f');
      expect((await its.store.tokens.list()).map(({ id }) => id)).toEqual(['f']);
    });

    it('tokens without a unique name may share one, and a unique one may not take it', async () => {
      await its.store.tokens.add(TOKEN);
      await its.store.tokens.add({ ...TOKEN, id: 't2', hash: 'h2' });
      const unique = its.store.tokens.add({ ...TOKEN, id: 't3', hash: 'h3', isNameUnique: true });
      await expect(unique).rejects.toMatchObject({ code: 'conflict' });
    });
  });

  describe('media', () => {
    const its = useStore(open);

    it('a media record is found by its id', async () => {
      its.clock.now = 3_000;
      const { id: sessionId } = await its.store.sessions.open(place('hall'));
      const media = { id: 'm1', sessionId, name: 'a.png', type: 'image/png', size: 12, file: 'ab/m1' };
      const added = await its.store.media.add(media);
      expect(added).toEqual({ ...media, createdAt: 3_000 });
      expect(await its.store.media.get('m1')).toEqual(added);
      expect(await its.store.media.get('m2')).toBeUndefined();
      await expect(its.store.media.add(media)).rejects.toMatchObject({ code: 'conflict' });
      await expect(its.store.media.add({ ...media, id: 'm2', sessionId: 'x' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });
  });
}
