import { describeChannel } from '../channel-suite.ts';
import { openWhatsapp } from './bench.ts';

describeChannel('whatsapp', openWhatsapp);
