import { awaitedLater } from '../../../kernel/background.ts'
import { NotChecked, type Outcome, type Place } from '../../../kernel/doctor/check.ts'
import { databaseOutcome } from '../../../kernel/doctor/checks/database-outcome.ts'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readKeys } from '../../../kernel/secrets/key-source.ts'
import { settingsOf } from '../../settings/index.ts'

const ANSWER_MS = 5_000

/** The place of the server itself. */
export function placeOfServer(kernel: Kernel): Place {
  const { config, pool, db, secrets } = kernel
  let asked: Promise<Outcome | undefined> | undefined
  const ask = () =>
    inTime(pool.query('SELECT 1'), ANSWER_MS, () => new Error('no answer')).then(
      () => undefined,
      (error) => databaseOutcome(error, config),
    )
  const databaseFault = () => (asked ??= awaitedLater(ask()))
  return {
    config,
    isServer: true,
    serverPid: process.pid,
    timeServer: undefined,
    databaseFault,
    async database() {
      if (await databaseFault()) throw new NotChecked((say) => say('It needs the database, which cannot be reached.'))
      return { pool, db }
    },
    keys: () => readKeys(config),
    secrets: async () => secrets,
    settings: async () => settingsOf(kernel).all(),
  }
}
