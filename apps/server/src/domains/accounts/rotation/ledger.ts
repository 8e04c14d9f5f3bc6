import { eq } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { candidateOf, discard, propose, type SecretRow, shelve } from '../../../kernel/secrets/versions.ts'
import { candidateLogin } from '../../system-users/index.ts'
import { accountsChangeTask } from '../tables.ts'
import type { Ledger, Secrets, Step } from './protocol.ts'

/** An account whose secret is being changed, and the task that says how far that is. */
export interface LedgerParts {
  row: SecretRow
  task: string
  open: Opener
  /** The secrets with which one logs in as long as no others are known to work. */
  current(): Promise<Secrets | undefined>
  /** Makes the candidate current, in this transaction. */
  keep(db: Database): Promise<void>
}

/** The ledger of an account in the database. */
export function storedLedger({ db, secrets }: Kernel, { row, task, open, current, keep }: LedgerParts): Ledger {
  const step = (on: Database, name: Step) =>
    on.update(accountsChangeTask).set({ step: name }).where(eq(accountsChangeTask.id, task))
  return {
    current,
    async candidate() {
      const login = await candidateLogin(db, row, open)
      if (!login) return undefined
      const stored = await candidateOf(db, row)
      return {
        password: login.password || undefined,
        private_key: login.privateKey || undefined,
        public_key: stored?.public_key || undefined,
      }
    },
    propose: ({ password, private_key, public_key }) =>
      propose(
        db,
        secrets,
        row,
        {
          ...(password ? { password } : {}),
          ...(private_key ? { private_key, public_key: public_key ?? '' } : {}),
        },
        `change ${task}`,
      ),
    async step(name) {
      await step(db, name)
    },
    keep: () =>
      db.transaction(async (tx) => {
        await keep(tx)
        await step(tx, 'keep_auth')
      }),
    discard: () => discard(db, row),
    shelve: () => shelve(db, row),
  }
}
