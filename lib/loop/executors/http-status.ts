// What an HTTP status of a model's API means for the loop; the same for every vendor.
import type {ErrorClass} from '../executor.ts';

/** Returns the class of an error status, or undefined where the status alone says too little. */
export function classOfStatus(status: number): ErrorClass | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'usage-limit';
  if (status === 408) return 'network';
  if (status === 413) return 'context-overflow';
  if (status === 429) return 'rate-limit';
  if (status >= 500 && status < 600) return 'overloaded';
  return undefined;
}
