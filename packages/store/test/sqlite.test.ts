import { describeStore } from './contract-suite.ts';
import { memoryDirectory, openFile } from './files.ts';

describeStore('sqlite', () => openFile({ home: memoryDirectory() }));
describeStore('sqlite that commits every call alone', () =>
  openFile({ together: false, home: memoryDirectory() }),
);
