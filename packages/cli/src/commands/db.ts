import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command, Context } from '../command.ts'
import { textOf } from '../command.ts'
import { Failure } from '../exit.ts'
import { runProgram } from '../program.ts'
import { findAccount, findApplication, splitTarget } from '../targets.ts'

/** How a client is started that signs in with a connection token, which is on no command line. */
interface Start {
  program: string
  parameters: string[]
  environment: NodeJS.ProcessEnv
  /** A file that the client reads, which is there as long as it runs. */
  file?: { name: string; text: string }
}

interface Entry {
  host: string
  port: number
  token: string
  database: string
  /** Certificates by which the server's is checked. */
  authority: string | undefined
}

/** Clients by the type of the database. */
export const CLIENTS: Readonly<Record<string, (entry: Entry) => Start>> = {
  postgresql: ({ host, port, token, database, authority }) => ({
    program: 'psql',
    parameters: [],
    environment: {
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: token,
      PGDATABASE: database,
      PGSSLMODE: authority ? 'verify-full' : 'require',
      ...(authority ? { PGSSLROOTCERT: authority } : {}),
    },
  }),
  mysql: (entry) => ofMysql('mysql', entry),
  mariadb: (entry) => ofMysql('mariadb', entry),
  redis: ({ host, port, token, authority }) => ({
    program: 'redis-cli',
    parameters: ['-h', host, '-p', String(port), '--tls', ...(authority ? ['--cacert', authority] : ['--insecure'])],
    environment: { REDISCLI_AUTH: token },
  }),
}

function ofMysql(program: string, { host, port, token, database, authority }: Entry): Start {
  const lines = [
    '[client]',
    `host=${host}`,
    `port=${port}`,
    'protocol=tcp',
    `user=${token}`,
    ...(authority ? [`ssl-ca=${authority}`] : []),
    // MySQL's client would else go on in clear where the server offers no TLS. `mysql` is MariaDB's
    // in some distributions: it leaves out what it does not know, and reads the group below as well.
    ...(program === 'mysql' ? [`loose-ssl-mode=${authority ? 'VERIFY_IDENTITY' : 'REQUIRED'}`] : []),
    '[client-mariadb]',
    'ssl',
    authority ? 'ssl-verify-server-cert' : 'disable-ssl-verify-server-cert',
  ]
  return {
    program,
    parameters: ['--defaults-extra-file=@', ...(database ? [database] : [])],
    environment: {},
    file: { name: 'client.cnf', text: `${lines.join('\n')}\n` },
  }
}

export const db: Command = {
  does: 'open a database with psql, mysql, mariadb or redis-cli',
  usage: '[--ca FILE] [ACCOUNT@]DATABASE [CLIENT OPTIONS …]',
  options: {
    ca: { type: 'string', does: 'certificates by which that of the server is checked' },
  },
  passes: true,
  completes: 'databases',
  async run(context, given) {
    const { say } = context
    const [word, ...more] = given.words
    if (!word) throw new Failure('usage', say('Name a database; sallyport ls --databases lists yours'))
    const { account: wanted, target } = splitTarget(word)
    const client = context.client()
    const row = await findApplication(client, say, target)
    const clientOf = CLIENTS[row.type]
    if (!clientOf) throw new Failure('failed', say('There is no client of your own for {{type}}', { type: row.type }))
    const { account } = await findAccount(client, say, { family: 'applications', id: row.id }, wanted, [row.type])
    const port = await portOf(context, row.type)
    const { token } = await client.post<{ token: string }>('/api/v1/authentication/connection-token/', {
      application: row.id,
      system_user: account.id,
    })
    const database = 'database' in row.attrs ? String(row.attrs.database ?? '') : ''
    const host = new URL(context.server().url).hostname.replace(/^\[|\]$/g, '')
    return runClient(context, clientOf({ host, port, token, database, authority: textOf(given, 'ca') }), more)
  },
}

async function portOf(context: Context, type: string): Promise<number> {
  const { data } = await context
    .client()
    .get<{ data: { DATABASE_PORTS?: Record<string, number> } }>('/api/v1/settings/public/')
  const port = data.DATABASE_PORTS?.[type]
  if (!port) throw new Failure('failed', context.say('The server has no port for clients of {{type}}', { type }))
  return port
}

async function runClient(context: Context, start: Start, more: readonly string[]): Promise<number> {
  const { program, parameters, environment, file } = start
  if (!file) return runProgram(context, program, [...parameters, ...more], environment)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-'))
  try {
    const path = join(folder, file.name)
    writeFileSync(path, file.text, { mode: 0o600 })
    return await runProgram(
      context,
      program,
      [...parameters.map((one) => one.replace('@', path)), ...more],
      environment,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
