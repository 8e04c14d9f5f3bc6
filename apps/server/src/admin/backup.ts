/** Makes a backup of the running installation, or proves that one can be restored (docs/backup.md). */
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { makeBackup, openPlace } from '../domains/backups/index.ts'
import type { Config } from '../kernel/config.ts'
import { openDatabase } from '../kernel/database/database.ts'
import { checkKeys } from '../kernel/secrets/installation-key.ts'
import { KeyRing } from '../kernel/secrets/key-ring.ts'
import { readKeys } from '../kernel/secrets/key-source.ts'
import { createVault } from '../kernel/secrets/vault.ts'
import { StartRefusal } from '../kernel/start-refusal.ts'
import { readPassphrase } from './passphrase.ts'
import { connectionOfInstallation } from './running-database.ts'
import { runVerify } from './verify-backup.ts'
import { WrongUse } from './wrong-use.ts'

export const USAGE = `sallyport-admin backup [--to PLACE] [--with-key [--passphrase-file FILE]]

  --to               a folder, or s3://bucket/folder; SALLYPORT_BACKUP when not given
  --with-key         also store the key of the secrets, sealed under a passphrase
  --passphrase-file  a file whose first line is the passphrase; asked for when not given

sallyport-admin backup verify [FROM] [--backup ID] [--passphrase-file FILE] [--scratch FOLDER]

  FROM               where the backup is; SALLYPORT_BACKUP when not given
  --backup           which one, such as 20261128T225013123Z; the newest when not given
  --scratch          where a database is made for the time of the check; the folder of temporary files when not given`

export async function run(args: string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'verify') return runVerify(rest)
  const { values } = parseArgs({
    args,
    options: {
      to: { type: 'string' },
      'with-key': { type: 'boolean', default: false },
      'passphrase-file': { type: 'string' },
    },
  })
  const config = loadConfig(process.env, readConfigFile(process.env))
  const to = values.to ?? config.backup
  if (!to) throw new WrongUse('Say where the backup goes: --to, or SALLYPORT_BACKUP')
  const place = openPlace(to, config)
  const passphrase = values['with-key']
    ? await readPassphrase(values['passphrase-file'], config.backupPassphrase, true)
    : config.backupPassphrase
  if (values['with-key'] && !passphrase)
    throw new WrongUse('Give the passphrase of the key: --passphrase-file, or SALLYPORT_BACKUP_PASSPHRASE')
  process.umask(0o077)
  const { pool, close } = openDatabase(await connectionOfInstallation(config))
  try {
    const vault = await vaultOf(config, pool)
    const began = performance.now()
    const made = await makeBackup({
      pool,
      config,
      vault,
      place,
      passphrase,
      madeBy: 'operator',
      // Only where the schedule removes them, too: in another place nothing is removed.
      keep: to === config.backup ? config.backupKeep : Number.POSITIVE_INFINITY,
      report: console.log,
    })
    for (const line of made.left_out) console.log(`Not in the backup: ${line}.`)
    const rows = made.tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      `The backup ${made.id} is complete in ${place.name}: ${rows} rows, ${made.recordings?.count ?? 0} files of recordings, in ${Math.ceil((performance.now() - began) / 1000)} s.`,
    )
    console.log(
      made.key
        ? 'It has the key, sealed under the passphrase: keep that one elsewhere.'
        : `It does not have the key ${made.keys.find(({ state }) => state === 'current')?.id}: keep ${config.secretKey ? 'SALLYPORT_SECRET_KEY' : 'secret.key'} elsewhere.`,
    )
  } finally {
    await close()
  }
}

async function vaultOf(config: Config, pool: Parameters<typeof checkKeys>[0]) {
  const configured = await readKeys(config)
  await checkKeys(pool, configured)
  if (!configured.keys.length) throw new StartRefusal('This installation has no key yet: start it once')
  return createVault(new KeyRing(configured.keys))
}
