import { buildAll } from './build/all.ts';
import { install } from './build/installation.ts';
import { PROOFS } from './build/prove.ts';
import { distOf, manifestOf, PUBLISHED, ROOT } from './build/workspace.ts';

/** `npm run build`: builds every package, then installs the result as a user would and uses it. */
await buildAll();
for (const folder of PUBLISHED) {
  process.stdout.write(`${manifestOf(folder).name} → ${distOf(folder).slice(ROOT.length + 1)}\n`);
}
const installation = install();
try {
  for (const proof of PROOFS) {
    proof.run(installation);
    process.stdout.write(`works: ${proof.name}\n`);
  }
} finally {
  installation.remove();
}
