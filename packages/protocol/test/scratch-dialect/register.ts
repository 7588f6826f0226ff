import { registerDialect } from '@plugboard/protocol';
import { scratch } from './index.ts';

// For `node --import`: the program that follows knows the dialect.
registerDialect(scratch);
