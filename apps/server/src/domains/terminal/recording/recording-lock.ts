import type pg from 'pg'
import { oneNodeAtATime, unlessAnotherIsAtIt } from '../../../kernel/database/locks.ts'

/** Runs `work` while no other node works on the recording of that session. */
export function withRecordingLock<T>(pool: pg.Pool, sessionId: string, work: () => Promise<T>): Promise<T> {
  return oneNodeAtATime(pool, `recording of ${sessionId}`, work)
}

/** Does nothing while another node is rebuilding that recording. */
export async function ifNobodyRebuilds(pool: pg.Pool, sessionId: string, work: () => Promise<void>): Promise<void> {
  await unlessAnotherIsAtIt(pool, `rebuilding of ${sessionId}`, work)
}
