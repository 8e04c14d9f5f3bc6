/** Makes or ends a person's private token (docs/api-access.md). */
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { endPrivateToken, renewPrivateToken } from '../domains/authentication/index.ts'
import { openDatabase } from '../kernel/database/database.ts'
import { StartRefusal } from '../kernel/start-refusal.ts'
import { connectionOfInstallation } from './running-database.ts'
import { WrongUse } from './wrong-use.ts'

export const USAGE = `sallyport-admin private-token --user robot [--end]

  --user  whose it is, by username
  --end   take the token away instead of making one`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { user: { type: 'string' }, end: { type: 'boolean', default: false } },
  })
  const { user, end } = values
  if (!user) throw new WrongUse('Say whose token it is: --user')
  const { db, close } = openDatabase(
    await connectionOfInstallation(loadConfig(process.env, readConfigFile(process.env))),
  )
  try {
    if (end) {
      if (!(await endPrivateToken(db, user))) throw new StartRefusal(`${user} has no private token`)
      console.log(`The private token of ${user} is gone.`)
      return
    }
    const token = await renewPrivateToken(db, user)
    if (!token) throw new StartRefusal(`There is no person with the username ${user}`)
    console.error(`The private token of ${user}; an earlier one has ended. It is shown this once:`)
    // By itself on the standard output, for scripts.
    console.log(token)
  } finally {
    await close()
  }
}
