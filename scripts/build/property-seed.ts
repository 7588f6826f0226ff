import { SEED } from '@plugboard/testkit';
import fc from 'fast-check';

// Property tests draw by the seed of the run, as all tests do; a failure prints it with the path to its counterexample.
fc.configureGlobal({ seed: SEED });
