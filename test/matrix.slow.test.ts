import { SEED, sample } from '@plugboard/testkit';
import { describeMatrix } from './matrix.ts';

console.log(`Pairs of dialects are drawn with PLUGBOARD_SEED=${SEED}; npm run test:deep tries all of them.`);

describeMatrix((pairs) => sample(pairs, 4));
