import { renameSync } from 'node:fs';

/** Lets two names change places over and over, as an agent could that wants a file of somebody else to be handed out. */
const [one = '', other = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
for (;;) {
  renameSync(one, `${one}.held`);
  renameSync(other, one);
  renameSync(one, other);
  renameSync(`${one}.held`, one);
}
