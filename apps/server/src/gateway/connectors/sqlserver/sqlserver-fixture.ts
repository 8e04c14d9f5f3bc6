/** A SQL Server of tests: logins that change their passwords, and a handful of statements. */
import { startTdsServer, type TdsOptions, type TdsServer } from './tds-server-fixture.ts'
import { changed, done, error, info, int, nvarchar, nvarcharMax, table } from './tokens-fixture.ts'

export interface SqlServerFixture extends TdsServer {
  /** Passwords of logins. */
  logins: Map<string, string>
  /** Batches that wait until they are cancelled. */
  waiting: number
}

const TRANSACTION = Buffer.from('0100000000000033', 'hex')
/** As the server's own grammar reads it: a name in brackets, texts in quotes, each doubled within. */
const ALTER_LOGIN =
  /^ALTER LOGIN \[((?:[^\]]|\]\])+)\] WITH PASSWORD = N'((?:[^']|'')*)'(?: OLD_PASSWORD = N'((?:[^']|'')*)')?$/

export async function startSqlServer(logins: Readonly<Record<string, string>>): Promise<SqlServerFixture> {
  const known = new Map(Object.entries(logins))
  const answer: TdsOptions['answer'] = async (batch, seat, cancelled) => {
    const isDoneBeforeCancel = /^update late/i.test(batch)
    if (isDoneBeforeCancel || /^waitfor/i.test(batch)) {
      fixture.waiting++
      await new Promise<void>((resolve) => cancelled.addEventListener('abort', () => resolve()))
      fixture.waiting--
      return isDoneBeforeCancel ? done({ rows: 2 }) : Buffer.alloc(0)
    }
    if (/^begin tran/i.test(batch)) {
      seat.transaction = TRANSACTION
      return Buffer.concat([changed.begun(TRANSACTION), done({})])
    }
    if (/^commit/i.test(batch)) {
      seat.transaction = Buffer.alloc(8)
      return Buffer.concat([changed.committed(TRANSACTION), done({})])
    }
    const print = /^print N?'(.*)'$/i.exec(batch)
    if (print) return Buffer.concat([info(0, print[1] as string), done({})])
    const use = /^use \[?(.*?)\]?$/i.exec(batch)?.[1]
    if (use) {
      const before = seat.database
      seat.database = use
      return Buffer.concat([
        changed.database(use, before),
        info(5701, `Changed database context to '${use}'.`),
        done({}),
      ])
    }
    const rows = /^select top (\d+)/i.exec(batch)?.[1]
    if (rows) return table(Array.from({ length: Number(rows) }, (_, at) => [int('n', at + 1)]))
    if (/^update/i.test(batch)) return done({ rows: 2 })
    if (/^select long/i.test(batch)) return table([[nvarcharMax('long', ['字'.repeat(60_000), 'end'])]])
    if (/^select ORIGINAL_LOGIN/i.test(batch)) return table([[nvarchar('', seat.username)]])
    if (/^alter login/i.test(batch)) return alterLogin(batch, seat.username)
    if (/from sys\.schemas/i.test(batch)) return table([[nvarchar('name', 'dbo')], [nvarchar('name', "o'r]")]])
    const text = /^select N'(.*)' as (\w+)/i.exec(batch)
    if (text) return table([[int('id', 1), nvarchar(text[2] as string, text[1] as string)]])
    const name = /from (\w+)/i.exec(batch)?.[1] ?? ''
    return Buffer.concat([error(208, `Invalid object name '${name}'.`), done({ isError: true })])
  }
  const alterLogin = (batch: string, username: string): Buffer => {
    const [, name, password, old] = ALTER_LOGIN.exec(batch) ?? []
    const failed = (number: number, text: string) => Buffer.concat([error(number, text), done({ isError: true })])
    if (name === undefined || password === undefined) return failed(102, "Incorrect syntax near 'PASSWORD'.")
    const plain = (text: string) => text.replaceAll("''", "'")
    if (name.replaceAll(']]', ']') !== username || old === undefined || plain(old) !== known.get(username))
      return failed(15151, `Cannot alter the login '${name}', because it does not exist or you do not have permission.`)
    if (password.length < 8) return failed(15116, 'Password validation failed. The password is too short.')
    known.set(username, plain(password))
    return done({})
  }
  const server = await startTdsServer({
    answer,
    refuse({ username, password, database }) {
      if (database === 'missing')
        return Buffer.concat([
          error(4060, `Cannot open database "${database}" requested by the login. The login failed.`, 11),
          error(18456, `Login failed for user '${username}'.`, 14),
        ])
      if (known.get(username) === password) return undefined
      return error(18456, `Login failed for user '${username}'.`, 14)
    },
  })
  const fixture: SqlServerFixture = Object.assign(server, { logins: known, waiting: 0 })
  return fixture
}
