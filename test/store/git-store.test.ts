import {tempRepo} from '../support/repo.ts';
import {testGitStore} from '../support/store.ts';
import {storeSuite} from './suite.ts';

storeSuite('git', async t => testGitStore(t, await tempRepo(t, {commit: false})));
