import { randomUUID } from 'node:crypto'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { appendCommands, type NewCommand } from '../../domains/terminal/commands/index.ts'
import { countLiveSessions, createSession, finishSession, patchSession } from '../../domains/terminal/index.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SessionSummary } from '../session/session-summary.ts'

/** Questions of an opening (opening/statements-of-opening.test.ts: 20), but for those that change its row. */
const QUESTIONS = 17
const NOBODY = '00000000-0000-0000-0000-000000000000'
const NAME = 'capacity'

class Undone extends Error {}

/**
 * Runs statements as the product does, with all indexes, and takes them back: nobody ever sees a row
 * of a measurement, neither does a chain of evidence, and a node that dies in between leaves none.
 */
async function undone(db: Database, work: (inside: Database) => Promise<unknown>): Promise<void> {
  try {
    await db.transaction(async (inside) => {
      await work(inside)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

const newSession = (id: string) => ({
  id,
  org_id: DEFAULT_ORG_ID,
  user: NAME,
  asset: NAME,
  system_user: NAME,
  user_id: NOBODY,
  asset_id: NOBODY,
  system_user_id: NOBODY,
  is_success: false,
})

/** The session of a measurement, which has no row. */
export const scratchSession = (): SessionSummary => ({
  ...newSession(randomUUID()),
  target_family: 'asset',
  protocol: 'ssh',
  login_from: 'ST',
  remote_addr: '127.0.0.1',
  date_start: new Date().toISOString(),
})

/** Statements of a session, from its opening to its end. */
export const sessionRows = ({ db }: Pick<Kernel, 'db'>): Promise<void> =>
  undone(db, async (inside) => {
    for (let n = 0; n < QUESTIONS; n++) await countLiveSessions(inside, { userId: NOBODY })
    const id = await createSession(inside, newSession(randomUUID()))
    await patchSession(inside, id, { is_success: true })
    await finishSession(inside, id)
  })

/** Stores rows of a journal, and takes them back. */
export const commandRows = (
  { db }: Pick<Kernel, 'db'>,
  rows: readonly (NewCommand & { id?: string })[],
): Promise<void> =>
  undone(db, async (inside) => {
    for (const id of new Set(rows.map(({ session }) => session))) await createSession(inside, newSession(id))
    await appendCommands(inside, rows)
  })
