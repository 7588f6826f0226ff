import { bareTurn } from '../agents/turns.ts';
import { rate } from '../method/rate.ts';

/*
 * A host that starts agents by hand, from a process of its own with as much in memory as it is told: who measures must not
 * be slowed down by the copies that the kernel makes of a large process.
 */
const ballast = Array.from({ length: Number(process.argv[2]) }, () => Buffer.alloc(2 ** 20, 1));

interface Order {
  readonly argv: readonly string[];
  readonly clients?: number;
  readonly ms?: number;
}

process.on('message', async ({ argv, clients, ms }: Order) => {
  const measured =
    clients === undefined || ms === undefined
      ? (await bareTurn(argv)).done
      : await rate(clients, ms, () => bareTurn(argv));
  process.send?.(measured);
});
process.send?.(ballast.length);
// What nothing refers to any more would be collected.
process.on('exit', () => void ballast.at(0));
