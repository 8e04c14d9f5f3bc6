/**
 * Makes or ends a person's private token on the command line; `npm run private-token`
 * (docs/api-access.md).
 */
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from './config.ts'
import { endPrivateToken, renewPrivateToken } from './domains/authentication/index.ts'
import { openDatabase } from './kernel/database/database.ts'
import { connectionOfInstallation } from './running-database.ts'

const USAGE = `npm run private-token -- --user robot [--end]

  --user  whose it is, by username
  --end   take the token away instead of making one`

try {
  await run()
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { user: { type: 'string' }, end: { type: 'boolean', default: false } } })
  const { user, end } = values
  if (!user) throw new Error('Say whose token it is: --user')
  const { db, close } = openDatabase(
    await connectionOfInstallation(loadConfig(process.env, readConfigFile(process.env))),
  )
  try {
    if (end) {
      if (!(await endPrivateToken(db, user))) throw new Error(`${user} has no private token`)
      console.log(`The private token of ${user} is gone.`)
      return
    }
    const token = await renewPrivateToken(db, user)
    if (!token) throw new Error(`There is no person with the username ${user}`)
    console.error(`The private token of ${user}; an earlier one has ended. It is shown this once:`)
    // By itself on the standard output, for scripts.
    console.log(token)
  } finally {
    await close()
  }
}
