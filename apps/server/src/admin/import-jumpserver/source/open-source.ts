import { WrongUse } from '../../wrong-use.ts'
import { ImportRefusal } from '../refusal.ts'
import { type Source, sourceOn } from './source.ts'

/**
 * Opens a database of JumpServer for reading.
 * @param text `mysql://user:password@host:port/name` (MariaDB too) or `postgres://…`
 * @throws WrongUse for another form; ImportRefusal where it cannot be read. No message has the password.
 */
export async function openSource(text: string): Promise<Source> {
  const address = addressOf(text)
  const isMysql = /^(?:mysql|mariadb):$/.test(address.protocol)
  const shown = `${address.protocol}//${address.username ? `${address.username}@` : ''}${address.host}${address.pathname}`
  try {
    // Each driver is loaded by who needs it.
    const driver = isMysql
      ? await (await import('./mysql.ts')).openMysql(address)
      : await (await import('./postgres.ts')).openPostgres(address)
    return await sourceOn(driver, shown).catch(async (error) => {
      await driver.close()
      throw error
    })
  } catch (error) {
    throw new ImportRefusal(
      'The database {{address}} cannot be read: {{reason}}',
      { address: shown, reason: reasonOf(error, address) },
      { cause: error },
    )
  }
}

function addressOf(text: string): URL {
  let address: URL | undefined
  try {
    address = new URL(text)
  } catch {}
  if (!address || !/^(?:mysql|mariadb|postgres|postgresql):$/.test(address.protocol) || !address.hostname)
    throw new WrongUse('--database must be mysql://user:password@host:port/name or postgres://…')
  if (address.pathname.length < 2) throw new WrongUse('--database must end in the name of the database')
  return address
}

/** The driver's message on one line, without the password, which some of them repeat. */
function reasonOf(error: unknown, { password }: URL): string {
  const { message, code, errors } = error as NodeJS.ErrnoException & { errors?: Error[] }
  const text = (message || errors?.[0]?.message || code || 'no reason is given').split('\n')[0] ?? ''
  return password ? text.replaceAll(password, '…').replaceAll(decodeURIComponent(password), '…') : text
}
