import { describeMatrix } from './matrix.ts';

describeMatrix((pairs) => pairs);
