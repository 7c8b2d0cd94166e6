// The files of settings: a mistake in one of them stops every command that reads it.
import {existsSync} from 'node:fs';
import {configFiles} from '../config/config.ts';
import {isFailure} from '../failure.ts';
import {good, type Sign, sign} from './finding.ts';
import type {Patient} from './patient.ts';

export async function examineSettings({config, body, world}: Patient): Promise<readonly Sign[]> {
  if (isFailure(config)) return [sign('bad', config.message, config.hint)];
  const {user, project} = configFiles(world.env, isFailure(body) ? undefined : body.repository.top);
  const files = [user, project].filter(file => file !== undefined && existsSync(file));
  if (files.length === 0) return [good('There are no files of settings, so the defaults hold.')];
  return [good(`The settings can be read: ${files.join(', ')}.`)];
}
