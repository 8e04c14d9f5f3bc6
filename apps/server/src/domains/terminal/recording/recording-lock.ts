import type pg from 'pg'
import { oneNodeAtATime, unlessAnotherIsAtIt } from '../../../kernel/database/locks.ts'

/** Does something with the recording of a session that only one node may do at a time. */
export function withRecordingLock<T>(pool: pg.Pool, sessionId: string, work: () => Promise<T>): Promise<T> {
  return oneNodeAtATime(pool, `recording of ${sessionId}`, work)
}

/** Does nothing while another node is at it. */
export async function ifNobodyRebuilds(pool: pg.Pool, sessionId: string, work: () => Promise<void>): Promise<void> {
  await unlessAnotherIsAtIt(pool, `rebuilding of ${sessionId}`, work)
}
