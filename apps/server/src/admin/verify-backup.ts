import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { openPlace, verifyBackup } from '../domains/backups/index.ts'
import { startEmbeddedPostgres } from '../kernel/database/embedded.ts'
import { readPassphrase } from './passphrase.ts'
import { WrongUse } from './wrong-use.ts'

/** `sallyport-admin backup verify FROM`: restores into a database that is thrown away. */
export async function runVerify(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { backup: { type: 'string' }, 'passphrase-file': { type: 'string' }, scratch: { type: 'string' } },
  })
  const config = loadConfig(process.env, readConfigFile(process.env))
  const [from = config.backup, ...more] = positionals
  if (!from || more.length) throw new WrongUse('Say where the backup is: sallyport-admin backup verify FROM')
  process.umask(0o077)
  const manifest = await verifyBackup({
    config,
    place: openPlace(from, config),
    id: values.backup,
    passphrase: () => readPassphrase(values['passphrase-file'], config.backupPassphrase, false),
    openDatabase: async () => {
      const folder = await mkdtemp(join(values.scratch ?? tmpdir(), 'sallyport-verify-'))
      const remove = () => rm(folder, { recursive: true, force: true })
      try {
        const { connection, stop } = await startEmbeddedPostgres({
          directory: join(folder, 'postgres'),
          programs: config.postgresBin,
          log: () => {},
        })
        return { connection, close: () => stop().finally(remove) }
      } catch (error) {
        await remove()
        throw error
      }
    },
    report: console.log,
  })
  console.log(`The backup ${manifest.id} of ${manifest.date} can be restored.`)
}
