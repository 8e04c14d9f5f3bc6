import { api } from '../lib/api.ts'
import { openTaskLog } from './windows.ts'

/** Starts a job by a call that answers `{task}` and opens its live output. */
export async function runTask(path: string, body?: unknown): Promise<void> {
  const { task } = await api.post<{ task: string }>(path, body)
  openTaskLog(task)
}
