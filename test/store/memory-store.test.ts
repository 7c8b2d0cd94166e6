import {memoryStore} from '../../lib/store/memory-store.ts';
import {storeSuite} from './suite.ts';

storeSuite('memory', async () => memoryStore());
