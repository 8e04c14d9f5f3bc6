/** Makes an installation of a backup, on an empty machine (docs/backup.md). */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { loadConfig, readConfigFile } from '../config.ts'
import { lockDataDirectory } from '../data-lock.ts'
import { type Manifest, openPlace, restoreBackup, wordsOf } from '../domains/backups/index.ts'
import type { Config } from '../kernel/config.ts'
import { checkDatabase } from '../kernel/database/check-database.ts'
import { startEmbeddedPostgres } from '../kernel/database/embedded.ts'
import { readPassphrase } from './passphrase.ts'
import { WrongUse } from './wrong-use.ts'

export const USAGE = `sallyport-admin restore FROM [--backup ID] [--passphrase-file FILE] [--without-damaged]

  FROM               the folder or bucket that a backup was made to
  --backup           which one, such as 20261128T225013123Z; the newest when not given
  --passphrase-file  a file whose first line is the passphrase of the key in the backup; asked for when not given
  --without-damaged  go on where recordings are missing or damaged, without them

The data directory must be empty but for secret.key, and so must the database of DATABASE_URL, if it is set.`

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      backup: { type: 'string' },
      'passphrase-file': { type: 'string' },
      'without-damaged': { type: 'boolean', default: false },
    },
  })
  const [from, ...more] = positionals
  if (!from || more.length) throw new WrongUse('Say where the backup is: sallyport-admin restore FROM')
  const config = loadConfig(process.env, readConfigFile(process.env))
  const place = openPlace(from, config)
  process.umask(0o077)
  if (config.databaseUrl) await checkDatabase(config.databaseUrl)
  const unlock = lockDataDirectory(config.dataDirectory)
  try {
    const { manifest, damage } = await restoreBackup({
      config,
      place,
      id: values.backup,
      skipsDamaged: values['without-damaged'],
      passphrase: () => readPassphrase(values['passphrase-file'], config.backupPassphrase, false),
      openDatabase: () => openEmptyDatabase(config),
      report: console.log,
    })
    if (damage.count) console.log(`Not restored: ${wordsOf(damage)}.`)
    sayWhatIsLeft(config, manifest)
  } finally {
    unlock()
  }
}

async function openEmptyDatabase(config: Config): Promise<{ connection: pg.ClientConfig; close: () => Promise<void> }> {
  if (config.databaseUrl) return { connection: { connectionString: config.databaseUrl }, close: async () => {} }
  const directory = join(config.dataDirectory, 'postgres')
  const { connection, stop } = await startEmbeddedPostgres({ directory, programs: config.postgresBin, log: () => {} })
  return { connection, close: stop }
}

function sayWhatIsLeft(config: Config, { id, date, settings, left_out }: Manifest): void {
  for (const line of left_out) console.log(`Was not in the backup: ${line}.`)
  const missing = Object.keys(settings).filter((name) => !(name in config.given) && name !== 'SALLYPORT_ADMIN_PASSWORD')
  if (missing.length)
    console.log(
      `Settings that were set where the backup was made and are not here:\n${missing
        .map(
          (name) =>
            `  ${name}${settings[name] === null ? '  (a secret, which is not in the backup)' : `=${settings[name]}`}`,
        )
        .join('\n')}`,
    )
  console.log(`The backup ${id} is restored: everything is as it was at ${date}. Start Sallyport.`)
}
