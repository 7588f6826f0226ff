import { describeStore } from './contract-suite.ts';
import { openFile } from './files.ts';

describeStore('sqlite', openFile);
describeStore('sqlite that commits every call alone', () => openFile({ together: false }));
