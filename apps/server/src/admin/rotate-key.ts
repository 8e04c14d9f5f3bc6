/** Takes a new key of the secrets into use while the nodes run (docs/operate-keys.md). */
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { openDatabase } from '../kernel/database/database.ts'
import { countBehind, rotateKey } from '../kernel/secrets/rotation.ts'
import { connectionOfInstallation } from './running-database.ts'

export const USAGE = `sallyport-admin rotate-key [--check]

  --check  only count the secrets that are not sealed under the key that seals now`

export async function run(args: string[]): Promise<void> {
  const { check } = parseArgs({ args, options: { check: { type: 'boolean', default: false } } }).values
  const config = loadConfig(process.env, readConfigFile(process.env))
  const { db, pool, close } = openDatabase(await connectionOfInstallation(config))
  try {
    if (check) {
      const count = await countBehind(pool, config)
      console.log(
        count
          ? `${count} rows hold secrets under another key.`
          : 'Every secret is sealed under the key that seals now.',
      )
      process.exitCode = count ? 1 : 0
      return
    }
    const { key, rows, unreadable } = await rotateKey({ pool, db, config, report: console.log })
    for (const [place, count] of Object.entries(unreadable))
      console.warn(`${place}: ${count} rows could not be opened with any key, and were left as they are.`)
    console.log(`Done: ${rows} rows were sealed anew, none is left under an earlier key. ${key} seals.`)
    if (config.nextSecretKey)
      console.log(
        'On every node, put the text of SALLYPORT_SECRET_KEY_NEXT into SALLYPORT_SECRET_KEY and remove SALLYPORT_SECRET_KEY_NEXT.',
      )
  } finally {
    await close()
  }
}
