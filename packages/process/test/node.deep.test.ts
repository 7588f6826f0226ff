import { spawnerSuite } from './spawner-suite.ts';

spawnerSuite('node');
