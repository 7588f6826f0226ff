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
