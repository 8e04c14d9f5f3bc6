import { api } from '../../lib/api.ts'

/** Trades ids for a reference that list addresses accept for 300 seconds (B7.39). */
export async function selectionReference(ids: readonly string[]): Promise<string> {
  return (await api.post<{ spm: string }>('/api/v1/common/resources/cache/', { resources: ids })).spm
}
