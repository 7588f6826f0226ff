import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectOutput, createTag, onLinux, shell, until } from '../processes.ts';

const MIB = 1024 * 1024;
const fiveMiB = 'head -c 5242880 /dev/zero';

/** Tests of the output around an exit. */
export function drainSuite(): void {
  // Concurrent, because these tests mostly wait and are independent.
  describe.concurrent('output after the exit', () => {
    it('all output has been offered to the reader when `ended` settles', async () => {
      for (let round = 0; round < 30; round += 1) {
        const child = shell('head -c 300000 /dev/zero');
        const output = collectOutput(child);
        let over = false;
        child.stdout?.once('end', () => {
          over = true;
        });
        await child.ended;
        expect([over, output.bytes()]).toEqual([true, 300_000]);
      }
    });

    it('a reader that pauses longer than the drain loses no output', async () => {
      const child = shell(fiveMiB, { drainMs: 50 });
      let bytes = 0;
      let pauses = 0;
      child.stdout?.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < (pauses + 1) * MIB * 0.7) return;
        pauses += 1;
        child.stdout?.pause();
        setTimeout(() => child.stdout?.resume(), 200);
      });
      await child.ended;
      expect(bytes).toBe(5 * MIB);
      expect(pauses).toBeGreaterThan(4);
    });

    it('a slow iteration loses no output', async () => {
      const child = shell('head -c 400000 /dev/zero', { drainMs: 20 });
      let bytes = 0;
      for await (const chunk of child.stdout ?? []) {
        bytes += (chunk as Buffer).length;
        await sleep(60);
      }
      expect(bytes).toBe(400_000);
      await expect(child.ended).resolves.toMatchObject({ code: 0 });
    });

    it('output waits for a reader that comes late', async () => {
      const child = shell('echo written before the exit', { drainMs: 20 });
      await child.exited;
      await sleep(300);
      const output = collectOutput(child);
      await child.ended;
      expect(output.text()).toBe('written before the exit\n');
    });

    it('a stdout that its reader has paused stays paused', async () => {
      const child = shell('head -c 100000 /dev/zero', { drainMs: 20 });
      let early = 0;
      child.stdout?.on('data', (chunk: Buffer) => {
        early += chunk.length;
      });
      child.stdout?.pause();
      await child.exited;
      await sleep(100);
      expect(early).toBe(0);
      child.stdout?.resume();
      await child.ended;
      expect(early).toBe(100_000);
    });
  });

  describe('a pipe that others hold open', () => {
    it('a grandchild that holds stdout open does not delay `ended` for ever', async () => {
      const child = shell('sleep 600 & echo hi', { drainMs: 200 });
      const output = collectOutput(child);
      const begun = performance.now();
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
      expect(performance.now() - begun).toBeLessThan(10_000);
      expect(output.text()).toBe('hi\n');
      expect(child.stdout?.readableEnded).toBe(true);
    });

    it('output that a grandchild writes shortly after the exit is read', async () => {
      const child = shell('(sleep 0.2; echo late) & echo early', { drainMs: 5000 });
      const output = collectOutput(child);
      const begun = performance.now();
      await child.ended;
      expect(output.text()).toBe('early\nlate\n');
      expect(performance.now() - begun).toBeLessThan(4000);
    });

    it.each([
      ['floods', 'yes &'],
      ['drips', '(while :; do echo x; sleep 0.02; done) &'],
    ])('a grandchild that %s stdout does not delay `ended` for ever', async (_, job) => {
      const child = shell(`${job} echo hi`, { drainMs: 200 });
      collectOutput(child);
      const begun = performance.now();
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit' });
      expect(performance.now() - begun).toBeLessThan(10_000);
    });

    it.runIf(onLinux).each([
      ['holds', 'setsid sleep 600 &'],
      ['floods', 'setsid yes &'],
    ])('a process in a session of its own that %s stdout is killed', async (_, job) => {
      const tag = createTag();
      const child = shell(`${job} echo hi`, { drainMs: 200 }, { env: tag.env });
      const read = (async () => {
        const hash = createHash('sha256');
        for await (const chunk of child.stdout ?? []) hash.update(chunk as Buffer);
      })().catch(() => 'cut off');
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
      await read;
      await until(() => tag.living().length === 0, 'holder gone');
    });

    it.runIf(onLinux)(
      'stdout held by a process without a mark still ends for a reader that has taken all',
      async () => {
        const child = shell('setsid env -i sleep 5 & echo hi', { drainMs: 100 });
        const begun = performance.now();
        const seen: string[] = [];
        for await (const chunk of child.stdout ?? []) seen.push(String(chunk));
        expect(seen.join('')).toBe('hi\n');
        await child.ended;
        expect(performance.now() - begun).toBeLessThan(4500);
      },
    );
  });
}
